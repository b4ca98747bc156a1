import type { Reminder } from '#core/reminder.ts';

/**
 * Where a text ends up, which decides what a value may bring along. `line`: one line (subject,
 * title); `text`: several lines; `html`: markup, in which a value is text and nothing else.
 */
export type TemplateForm = 'line' | 'text' | 'html';

export type Rendered =
  | { readonly kind: 'rendered'; readonly text: string }
  /** The reminder has no value for this placeholder. */
  | { readonly kind: 'variable-missing'; readonly variable: string };

/**
 * The whole syntax: `{{name}}`, blanks allowed inside the braces. A name is one of the fixed fields
 * below, or `data.` and the path of a value in the reminder's data (own members only; text, number
 * or boolean). No logic, no nesting, no default values: what is not there is missing.
 */
const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;
const DATA_PATH = /^data(?:\.[A-Za-z0-9_-]+){1,8}$/;
const FIXED_FIELDS = [
  'user_id',
  'reminder_id',
  'scheduled_at',
  'order_id',
  'channel',
  'version',
] as const;
/** Stands for the recipient, where a channel composes its own request body. */
export const RECIPIENT = 'recipient';

/** What is wrong with a template; undefined when it can be used. @param extra further names */
export function templateFault(text: string, extra: readonly string[] = []): string | undefined {
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (isName(name, extra)) continue;
    const allowed = [...FIXED_FIELDS, ...extra, 'data.<path>'].join(', ');
    return `has the unknown placeholder {{${name.slice(0, 40)}}}; allowed: ${allowed}`;
  }
  const rest = text.replace(PLACEHOLDER, '');
  return /\{\{|\}\}/.test(rest)
    ? 'has braces that are no placeholder; write {{name}}, single braces are ordinary text'
    : undefined;
}

/**
 * The text with the reminder's values. Pure, and attempt and hop have no part in it.
 * @param extra values of names beyond the reminder's own
 */
export function renderTemplate(
  text: string,
  reminder: Reminder,
  form: TemplateForm,
  extra: Readonly<Record<string, string>> = {},
): Rendered {
  let missing: string | undefined;
  const rendered = text.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = Object.hasOwn(extra, name) ? extra[name] : fieldOf(name, reminder);
    if (value === undefined) missing ??= name;
    return harmless(value ?? '', form);
  });
  if (missing !== undefined) return { kind: 'variable-missing', variable: missing };
  return { kind: 'rendered', text: form === 'line' ? oneLine(rendered) : rendered };
}

function isName(name: string, extra: readonly string[]): boolean {
  return (
    FIXED_FIELDS.some((field) => field === name) || extra.includes(name) || DATA_PATH.test(name)
  );
}

function fieldOf(name: string, reminder: Reminder): string | undefined {
  switch (name as (typeof FIXED_FIELDS)[number]) {
    case 'user_id':
      return reminder.userId;
    case 'reminder_id':
      return reminder.reminderId;
    case 'scheduled_at':
      return reminder.scheduledAt.canonical;
    case 'order_id':
      return reminder.orderId;
    case 'channel':
      return reminder.channel;
    case 'version':
      return reminder.version?.toString();
    default:
      return DATA_PATH.test(name) ? textAt(reminder.data, name.split('.').slice(1)) : undefined;
  }
}

/** A scalar at a path of own members, as text; undefined for anything else. */
export function textAt(root: unknown, path: readonly string[]): string | undefined {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Everything that ends a line somewhere: C0 and C1 controls, and Unicode's own line ends. */
const LINE_BREAKING = /[\p{Cc}\u2028\u2029]+/gu;
/** Controls other than tab and line feed: no text needs them, and mail and SMS gateways choke. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A value must never end a header line, nor become markup. */
function harmless(value: string, form: TemplateForm): string {
  if (form === 'line') return oneLine(value);
  const text = value.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
  return form === 'html' ? text.replace(/[&<>"']/g, (sign) => MARKUP[sign] ?? '') : text;
}

function oneLine(text: string): string {
  return text.replace(LINE_BREAKING, ' ');
}
