import type { JsonObject, JsonValue } from '@subluminal/core-types';
import type { Report, Reported } from '@subluminal/records';
import type { Against } from './against.js';

/** The report for programs; the names are documented in docs/cli.md. */
export function reportJson(report: Report, against: Against | undefined, most: number): JsonObject {
  const { scope, calls, isCut } = report;
  const list = <Row>({ rows, left }: Reported<Row>, json: (row: Row) => JsonValue): JsonObject => ({
    rows: rows.slice(0, most).map(json),
    more: Math.max(0, rows.length - most) + left,
  });
  return {
    run_id: scope.runId ?? null,
    since: timeOf(scope.sinceMs),
    until: timeOf(scope.untilMs),
    first_at: timeOf(report.firstMs),
    last_at: timeOf(report.lastMs),
    cut: isCut,
    calls: { ...calls },
    connections: { ...report.connections },
    runs: list(report.runs, ({ runId, calls: count, end }) => ({
      run_id: runId,
      calls: count,
      status: end?.code ?? 'RUNNING',
    })),
    files: list(report.files, (one) => ({ ...one })),
    layered: list(report.layered, ({ isTaken, ...one }) => ({ ...one, taken: isTaken })),
    programs: report.programs,
    commands: list(report.commands, (one) => ({ ...one })),
    hosts: list(report.hosts, ({ host, calls: count, connections, bytesUp, bytesDown }) => ({
      host,
      calls: count,
      connections,
      bytes_up: bytesUp,
      bytes_down: bytesDown,
    })),
    tools: list(report.tools, ({ server, tool, ...counts }) => ({
      server_name: server,
      tool_name: tool,
      ...counts,
    })),
    actions: list(report.actions, (one) => ({ ...one })),
    refusals: list(report.refusals, ({ isObserved, ...one }) => ({ ...one, observed: isObserved })),
    questions: list(report.questions, ({ seq, ts, ruleId, name, object, end }) => ({
      seq: seq ?? null,
      ts: new Date(ts).toISOString(),
      rule_id: ruleId,
      name,
      object,
      answer: end === undefined ? null : end.answer,
      how: end === undefined ? null : end.how,
    })),
    against: against === undefined ? null : againstJson(against),
  };
}

function againstJson({ policy, calls, stopped, asked, passing, unknown, rules, isCut }: Against): JsonObject {
  return {
    policy: { ...policy },
    calls,
    stopped,
    asked,
    passing,
    unknown,
    cut: isCut,
    rules: rules.map(({ ruleId, isAsk, calls: count, examples }) => ({
      rule_id: ruleId,
      asks: isAsk,
      calls: count,
      examples: examples.map((one) => ({ ...one })),
    })),
  };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
