import { shellWord, textAt } from '@subluminal/core-types';
import { connectionOf } from '../connections/connection.js';
import { destinationOf, NAME } from '../connections/destination.js';
import { allowCommand } from '../connections/seen-places.js';
import { type CallRecord, factsOf } from '../record.js';

/** The way to reach a destination that was refused; undefined of what was refused for something else. */
export function reachWay(record: CallRecord): string | undefined {
  const { reasonCode } = factsOf(record);
  if (reasonCode === 'world_refused') return worldWay(record);
  if (reasonCode !== 'not_allowed' && reasonCode !== 'address_refused') return undefined;
  const connection = connectionOf(record);
  const place = connection?.place ?? placeIn(destinationOf(record.first));
  if (place === undefined) return undefined;
  const { verdict = '', isPrivate = false, isMetadata = false } = connection ?? {};
  if (isMetadata)
    return 'no way is offered: it leads to the metadata of a cloud, which hands out credentials of this machine';
  if (verdict !== '' && !isPrivate) return 'no way is offered: no entry of the allowlist leads there';
  if (record.first.tool === NAME) {
    const command = allowCommand({ place: `${place}:443`, isRaw: false, isPrivate: false });
    return `\`${command}\` lets worlds find it, and reach that port of it; without a port, every one`;
  }
  if (reasonCode === 'not_allowed')
    return `\`${allowCommand({ place, isRaw: false, isPrivate })}\` lets such requests reach it`;
  const command = allowCommand({ place, isRaw: false, isPrivate: true });
  return `it leads to an address that is not public: where that is meant, \`${command}\` opens whatever address the place has, metadata services too`;
}

/** The settings of a world left it out: an entry of the allowlist opens nothing. */
function worldWay({ first }: CallRecord): string {
  const server = textAt(first.data, 'facts', 'server_name');
  const flag = server === '' ? '' : ` --server ${shellWord(server)}`;
  return `\`sub policy explain --world${flag}\` shows what the policy leaves to such a world: its \`net.allowed\` lets it reach more`;
}

/** The host and the port of a destination; undefined of what is none. */
function placeIn(destination: string): string | undefined {
  const authority = destination.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').split('/', 1)[0] ?? '';
  return /^[A-Za-z0-9._:[\]-]+$/.test(authority) ? authority : undefined;
}
