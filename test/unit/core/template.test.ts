import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderTemplate, templateFault } from '#core/template.ts';
import { aReminder } from '#test/support/core-data.ts';

const REMINDER = aReminder({
  orderId: 'o_1',
  version: 3,
  data: {
    name: 'Ann',
    plan: { title: 'Pro', price: 9.5, trial: false, nothing: null, list: ['first'] },
    empty: '',
  },
});
const text = (template: string) => renderTemplate(template, REMINDER, 'text');

describe('rendering', () => {
  test.each([
    ['plain', 'plain'],
    ['Hi {{data.name}}!', 'Hi Ann!'],
    ['{{ data.plan.title }}/{{data.plan.price}}/{{data.plan.trial}}', 'Pro/9.5/false'],
    ['{{data.plan.list.0}}', 'first'],
    ['[{{data.empty}}]', '[]'],
    [
      '{{user_id}} {{reminder_id}} {{order_id}} {{channel}} {{version}}',
      'u_4471 r_trial_end o_1 push 3',
    ],
    ['{{scheduled_at}}', '2026-07-26T09:00:00Z'],
    ['{ single } braces are {text}', '{ single } braces are {text}'],
  ])('%s', (template, rendered) => {
    expect(text(template)).toEqual({ kind: 'rendered', text: rendered });
  });

  test.each([
    'data.absent',
    'data.plan',
    'data.plan.nothing',
    'data.plan.list',
    'data.name.length',
  ])('a value that is not there, or is no scalar, is missing: %s', (variable) => {
    expect(text(`a {{data.name}} {{${variable}}}`)).toEqual({ kind: 'variable-missing', variable });
  });

  test('only own members count, whatever they are called', () => {
    expect(text('{{data.constructor.name}}')).toMatchObject({ kind: 'variable-missing' });
    expect(text('{{data.__proto__.toString}}')).toMatchObject({ kind: 'variable-missing' });
    const data = JSON.parse('{"__proto__":"own"}') as Record<string, unknown>;
    expect(renderTemplate('{{data.__proto__}}', aReminder({ data }), 'text')).toEqual({
      kind: 'rendered',
      text: 'own',
    });
  });

  test('attempt and hop change nothing, and a value is never read as a template', () => {
    const template = '{{data.name}} {{scheduled_at}}';
    const retried = { ...REMINDER, attempt: 4, hop: 9 };
    expect(renderTemplate(template, retried, 'text')).toEqual(text(template));
    const tricky = aReminder({ data: { name: '{{user_id}} $& $1' } });
    expect(renderTemplate('{{data.name}}', tricky, 'text')).toEqual({
      kind: 'rendered',
      text: '{{user_id}} $& $1',
    });
  });

  test('html: a value is text, never markup', () => {
    const data = { name: `<img src=x onerror="alert('1')">&` };
    expect(renderTemplate('<b>{{data.name}}</b>', aReminder({ data }), 'html')).toEqual({
      kind: 'rendered',
      text: '<b>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</b>',
    });
  });

  test('text: lines stay, other controls go', () => {
    const data = { name: 'a\r\nb\rc\td\u0000e\u009f' };
    expect(renderTemplate('{{data.name}}', aReminder({ data }), 'text')).toEqual({
      kind: 'rendered',
      text: 'a\nb\nc\tde',
    });
  });

  test('line: no value whatever can end a header line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const value = `${name}\r\nBcc: victim@example.com\u2028x`;
        const line = renderTemplate(
          'S: {{data.name}}',
          aReminder({ data: { name: value } }),
          'line',
        );
        expect(line).toMatchObject({ kind: 'rendered' });
        expect(JSON.stringify(line)).not.toMatch(/\\[rn]|\\u00[01]|[\u0080-\u009f\u2028\u2029]/);
      }),
    );
  });
});

describe('a template', () => {
  test.each([
    ['{{data.name}} and {{order_id}}', undefined],
    ['no placeholder, {one} brace', undefined],
    ['{{name}}', /unknown placeholder \{\{name\}\}; allowed: user_id, .*data\.<path>/],
    ['{{data}}', /unknown placeholder/],
    ['{{data.a..b}}', /unknown placeholder/],
    ['{{recipient}}', /unknown placeholder/],
    ['{{#if data.x}}', /braces that are no placeholder/],
    ['{{data.name}', /braces that are no placeholder/],
    ['{{{data.name}}}}', /braces/],
  ])('%s', (template, fault) => {
    if (fault === undefined) expect(templateFault(template)).toBeUndefined();
    else expect(templateFault(template)).toMatch(fault);
  });

  test('may use a further name where one is offered', () => {
    expect(templateFault('{{recipient}}', ['recipient'])).toBeUndefined();
    expect(renderTemplate('{{recipient}}', REMINDER, 'text', { recipient: 'x' })).toEqual({
      kind: 'rendered',
      text: 'x',
    });
  });
});
