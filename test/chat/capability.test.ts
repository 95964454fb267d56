import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probeTemplate } from '../../src/chat/capability.ts';
import { compileTemplate } from '../../src/chat/template.ts';

const probe = (source: string) => probeTemplate(compileTemplate(source));

it('the demo template does everything', () => {
  const source = readFileSync(new URL('../../models/demo/chat_template.jinja', import.meta.url), 'utf8');
  expect(probe(source)).toEqual({
    rendersTools: true,
    rendersCalls: true,
    rendersResults: true,
    severalCalls: true,
    systemRole: true,
    objectArguments: true,
  });
});

it('a plain template shows roles and contents only', () => {
  const source = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}';
  expect(probe(source)).toEqual({
    rendersTools: false,
    rendersCalls: false,
    rendersResults: true,
    severalCalls: false,
    systemRole: true,
    objectArguments: false,
  });
});

it('a template that raises on a system message, a tool role or object arguments says so', () => {
  const source =
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}{{ tools | tojson }}" +
    '{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ c.function.name + c.function.arguments }}{% endfor %}{% endfor %}';
  expect(probe(source)).toEqual({
    rendersTools: true,
    rendersCalls: true,
    rendersResults: true,
    severalCalls: true,
    systemRole: false,
    objectArguments: false,
  });
});

it('a template that says how to call tools only where there is no system message', () => {
  const source =
    "{% if messages[0].role != 'system' and tools %}Write <tool_call> and JSON.{% endif %}" +
    '{{ tools | tojson }}{% for m in messages %}{{ m.content }}{% endfor %}';
  expect(probe(source)).toMatchObject({ rendersTools: true, hidesInstructions: true });
});

it('a template that wants a reply after each user message', () => {
  const source =
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}" +
    "{{ raise_exception('roles must alternate') }}{% endif %}{{ m.content }}{% endfor %}";
  expect(probe(source)).toMatchObject({ alternates: true });
});

it('a template that always fails can do nothing', () => {
  const none = {
    rendersTools: false,
    rendersCalls: false,
    rendersResults: false,
    severalCalls: false,
    systemRole: false,
    objectArguments: false,
  };
  expect(probe('{{ nothing.at.all }}')).toEqual(none);
});
