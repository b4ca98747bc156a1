import type { Reminder } from '#core/reminder.ts';
import { RECIPIENT, renderTemplate, type TemplateForm } from '#core/template.ts';

/** A request body, or the placeholder that has no value in this reminder. */
export type Composition =
  | { readonly kind: 'composed'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'variable-missing'; readonly variable: string };

/** Renders one template of the reminder at hand. */
export type Write = (template: string, form: TemplateForm) => string;

/**
 * What one channel sends, as a pure function of reminder and recipient: members that are undefined
 * are left out. The recipient is symbolic where the content is hashed.
 */
export type Compose = (
  write: Write,
  reminder: Reminder,
  recipient: string,
) => Readonly<Record<string, unknown>>;

export const SYMBOLIC_RECIPIENT = `{{${RECIPIENT}}}`;

/** The body of one reminder. A missing variable is an outcome, since the payload decides it. */
export function composed(compose: Compose, reminder: Reminder, recipient: string): Composition {
  let variable: string | undefined;
  const write: Write = (template, form) => {
    const rendered = renderTemplate(template, reminder, form, { [RECIPIENT]: recipient });
    if (rendered.kind === 'rendered') return rendered.text;
    variable ??= rendered.variable;
    return '';
  };
  const body = compose(write, reminder, recipient);
  return variable === undefined
    ? { kind: 'composed', body }
    : { kind: 'variable-missing', variable };
}

/**
 * Values for a template at the provider, which escapes them for its markup. Each is a single line:
 * only the template knows whether it goes into a subject.
 */
export function written(
  write: Write,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, template]) => [name, write(template, 'line')]),
  );
}
