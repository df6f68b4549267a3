import type { ActionResponse } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import { start, type TestGateway, type TestRun } from '../../gateway/harness.js';
import type { Authority } from './authority.js';

export const PASSWORD = 'word-4711-of-the-mail';

/** The address of every server of the tests. */
export const RESOLVER = { resolve: () => Promise.resolve(['127.0.0.1']) };

export const QUIET = '[anomaly]\nburst = "flag"\nnew_domain = "flag"\nlarge_payload = "flag"\n';

/** A payload that puts a mail account in. */
export function mailAccount(servers: {
  readonly imap?: { readonly port: number; readonly security: string };
  readonly smtp?: { readonly port: number; readonly security: string };
}): Record<string, unknown> {
  const at = (server: { readonly port: number; readonly security: string } | undefined) =>
    server === undefined ? undefined : { host: 'mail.test', ...server };
  const settings = {
    address: 'ada@mail.test',
    user: 'ada',
    imap: at(servers.imap),
    smtp: at(servers.smtp),
    name: 'Ada',
  };
  return {
    name: 'work',
    kind: 'email',
    settings: JSON.parse(JSON.stringify(settings)) as unknown,
    secret: PASSWORD,
    salt: 's'.repeat(24),
    replace: true,
  };
}

/**
 * A gateway that knows the authority of the tests as an operator names it, its operator, and a run. `egress`:
 * more of that table.
 */
export async function mailWorld(
  authority: Authority,
  config = QUIET,
  egress = '',
): Promise<{ world: TestGateway; operator: GatewayClient; run: TestRun }> {
  const trusted = `[egress]\nextra_ca_file = ${JSON.stringify(authority.path('ca.pem'))}\n`;
  const world = await start({ config: `${config}${trusted}${egress}`, resolver: RESOLVER });
  return { world, operator: await world.operator(), run: await world.run() };
}

export async function allow(operator: GatewayClient, port: number): Promise<void> {
  const answer = await operator.request('allow.add', { host: 'mail.test', port, allow_private: true });
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer.error));
}

export function codeOf(answer: Pick<ActionResponse, 'status' | 'error'>): string {
  return answer.error?.code ?? answer.status;
}
