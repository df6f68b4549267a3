import { SublError } from '@subluminal/core-types';
import { machineOf } from '../../clients/command/operands.js';
import { OTHER_HOME } from '../../clients/coverage/coverage.js';
import { reportClients } from '../../doctor/clients.js';
import { escapeText } from '../../output/escape.js';
import { attempted } from '../../program/attempt.js';
import type { Call } from '../../program/call.js';

/**
 * The error of a strict run whose tools never reached the gateway: an agent that wrote past it looks the same
 * as one that did nothing.
 */
export async function unseen(call: Call): Promise<SublError> {
  const { home, session } = call;
  const found = await attempted(reportClients(home, machineOf(call), session.now));
  // Files of a project are other people's word: none of them says which home is to be trusted.
  const elsewhere = found?.coverage.find(
    ({ scope, reason }) => scope !== 'project' && reason?.startsWith(OTHER_HOME) === true,
  );
  const more =
    elsewhere === undefined
      ? ''
      : `; \`${escapeText(elsewhere.server)}\` of ${elsewhere.client} is routed: ${escapeText(elsewhere.reason ?? '')}`;
  return new SublError(
    'gateway_unreachable',
    `no server of this run was behind the gateway, which saw nothing of its tools${more}`,
    {
      help:
        elsewhere === undefined
          ? 'put its servers behind it by `sub import CLIENT`: `sub doctor` lists those that do not pass; a program without tools needs no `--strict`'
          : `give \`sub run\` that home, or run \`sub restore ${elsewhere.client}\` there and \`sub import ${elsewhere.client}\` with \`--home ${escapeText(home.home)}\``,
    },
  );
}
