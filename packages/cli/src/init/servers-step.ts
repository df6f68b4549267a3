import { importClients } from '../clients/command/import-clients.js';
import type { ClientOutcome } from '../clients/command/import-lines.js';
import type { Client } from '../clients/client.js';
import { tokenLine } from '../clients/tokens.js';
import { createHome } from '../home/create.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import type { Asking } from './asking.js';
import { OWN, type Found } from './found.js';
import { problemsOf, routedIn } from './outcome.js';
import { skipped, type Step } from './step.js';

/** Puts the servers of the clients behind the gateway. Gives what became of each client, too. */
export async function serversStep(
  call: Call,
  { clients, where }: Found,
  asking: Asking,
): Promise<{ readonly step: Step; readonly outcomes: readonly ClientOutcome[] }> {
  const open = clients.filter(({ files }) => routedIn(files).length > 0);
  const problems = clients.flatMap(({ outcome, files }) => problemsOf({ ...outcome, files }));
  const facts = { clients: [] };
  if (open.length === 0)
    return {
      step: {
        step: 'servers',
        outcome: 'already',
        says: ['no further server to put behind the gateway'],
        facts,
        problems,
      },
      outcomes: [],
    };
  const wanted: Client[] = [];
  for (const one of open) {
    const names = routedIn(one.files)
      .map((name) => escapeText(name))
      .join(', ');
    const question = `${one.client.title}: put ${names} behind the gateway?`;
    const diff = (): readonly string[] =>
      one.files.flatMap((file) => file.diff.map((line) => `  ${escapeText(line)}`));
    if (await asking.agrees(question, diff)) wanted.push(one.client);
  }
  if (wanted.length === 0) return { step: { ...skipped('servers'), problems }, outcomes: [] };
  createHome(call);
  const outcomes = await importClients(call, { scopes: OWN, servers: [], isDry: false }, where, wanted);
  const done = outcomes
    .map(({ client, files }) => ({ client, names: routedIn(files) }))
    .filter(({ names }) => names.length > 0);
  const met = outcomes.flatMap(problemsOf);
  return {
    outcomes,
    step: {
      step: 'servers',
      outcome: outcomes.some(({ files }) => files.some(({ isChanged }) => isChanged)) ? 'done' : 'failed',
      says: [
        ...done.map(
          ({ client, names }) => `${client.title}: ${names.map((name) => escapeText(name)).join(', ')}`,
        ),
        ...outcomes.flatMap(({ files }) =>
          files.flatMap(({ remarks }) => remarks.map((one) => escapeText(one))),
        ),
        ...outcomes.flatMap(({ files }) =>
          files.flatMap(({ planned }) => planned.flatMap(({ entry }) => tokenLine(entry) ?? [])),
        ),
      ],
      facts: { clients: done.map(({ client, names }) => ({ client: client.name, routed: [...names] })) },
      problems: [...problems.filter(({ message }) => !met.some((one) => one.message === message)), ...met],
    },
  };
}
