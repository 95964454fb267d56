import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { EditForm } from '../../web/components/messages/edit-form.tsx';

const canAsk = (text: string, mayBeEmpty: boolean) => {
  const nothing = () => undefined;
  const form = <EditForm {...{ text, mayBeEmpty }} onSave={nothing} onCancel={nothing} />;
  return !/<button type="submit"[^>]* disabled/.test(renderToStaticMarkup(form));
};

it('a question that is only files can be asked again; one that is nothing cannot', () => {
  expect(canAsk('', true)).toBe(true);
  expect(canAsk(' \n', false)).toBe(false);
  expect(canAsk('why?', false)).toBe(true);
});
