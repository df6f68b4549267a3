import { CLIENTS } from '../all.js';
import type { Client, Where } from '../client.js';
import { Journal } from '../file/journal.js';
import { clientStart } from '../../home/launcher.js';
import type { Call } from '../../program/call.js';
import { asSublError } from '../../program/report.js';
import { gatewayDoor } from './http-routing.js';
import { importClient, type Asked } from './import-client.js';
import type { ClientOutcome } from './import-lines.js';
import { handsOf } from './operands.js';

/** Imports the files of clients, each by itself: a folder of one that cannot be read keeps no other back. */
export async function importClients(
  call: Call,
  asked: Asked,
  where: Where,
  clients: readonly Client[] = CLIENTS,
): Promise<readonly ClientOutcome[]> {
  const base = { ...clientStart(call.home, call.session, asked.isDry), home: call.home.home };
  const remote = gatewayDoor(call);
  const outcomes: ClientOutcome[] = [];
  for (const client of clients) {
    try {
      const files = await importClient({
        client,
        where,
        asked,
        base,
        journal: new Journal(call.home.home, client.name, process.pid),
        hands: handsOf(call),
        remote,
      });
      outcomes.push({ client, files, unroutable: client.unroutable(where) });
    } catch (error) {
      outcomes.push({ client, files: [], unroutable: [], problem: asSublError(error) });
    }
  }
  return outcomes;
}
