import { quantity, significant } from '../quantities.ts';
import { bar } from '../text-report.ts';
import { CLIENT_METRICS, type ClientsReport, curvesOf } from './clients-report.ts';

/** The report for a terminal: for every metric a bar for each server and number of clients. */
export function clientsText(report: ClientsReport): string {
  return [...clientsHeading(report), ...curves(report), ...failures(report)].join('\n');
}

export function clientsHeading({ machine, versions, model, settings }: ClientsReport): string[] {
  const { requests, promptTokens, generate, threads, environment } = settings;
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return [
    `${model.name}: ${model.family}, ${significant(model.parameters / 1e6)} M parameters`,
    `${machine.processor}, ${machine.processors} processors, ${machine.system}; threads: ${threads ?? "each engine's own choice"}`,
    `llm-host ${versions.llmHost}, MLX ${versions.mlx}, Node ${versions.node}`,
    `each client: ${requests} ${requests === 1 ? 'request' : 'requests'} of ${promptTokens} tokens, answered with ${generate}${set.length > 0 ? `; ${set.join(' ')}` : ''}`,
  ];
}

function curves(report: ClientsReport): string[] {
  const width = Math.max(...report.servers.map(({ name }) => name.length));
  const digits = Math.max(...report.settings.clients).toString().length;
  return curvesOf(report).flatMap(({ metric, rows }) => {
    const { unit, says } = CLIENT_METRICS[metric];
    const largest = Math.max(...rows.map(({ value }) => value));
    const lines = rows.map(({ name, clients, value, gain }) => {
      const times = gain === undefined ? '' : `, ${gain.toFixed(1)} times`;
      return `  ${name.padEnd(width)} ${String(clients).padStart(digits)} ${bar(value / largest)} ${quantity(value, unit)}${times}`;
    });
    return ['', `${says}, by clients`, ...lines];
  });
}

function failures({ servers }: ClientsReport): string[] {
  const rows = servers.flatMap(({ name, points }) =>
    points
      .filter(({ failed }) => failed > 0)
      .map(({ clients, failed, requests }) => `  ${name}, ${clients} clients: ${failed} of ${requests}`),
  );
  return rows.length > 0 ? ['', 'requests without a whole reply', ...rows] : [];
}
