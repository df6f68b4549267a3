import type { Socket } from 'node:net';
import { isSublError } from '@subluminal/core-types';
import { readLogin } from './basic.js';
import type { Behind } from '../behind.js';
import { ClientGone, type ClientInput } from './client-input.js';
import { Denial, NotAdmitted } from '../denial.js';
import { denySocks } from '../deny.js';
import { farewell } from '../carry/farewell.js';
import { reach } from '../judge/reach.js';
import type { Authority } from './request-head.js';
import type { RunLink } from '../run-link.js';
import { SOCKS_LOGIN, SOCKS_REPLY, SocksReader, socksReply, type SocksStep } from './socks5.js';
import { carryThrough } from '../carry/through.js';

/** A client that does not speak SOCKS5 as it should, and what it is told. */
class SocksRefusal extends Error {
  readonly bytes: Buffer;

  constructor(bytes: Buffer, message: string) {
    super(message);
    this.bytes = bytes;
  }
}

/** Serves a client that speaks SOCKS5: one connection. `inTime` is called when the request has come. */
export async function serveSocks(
  client: Socket,
  input: ClientInput,
  behind: Behind,
  inTime: () => void,
): Promise<void> {
  try {
    const { link, serverName, to } = await converse(client, input, behind);
    inTime();
    const leave = link.enter();
    try {
      const reached = await reach(
        behind,
        link,
        { serverName, via: 'socks5', worldId: undefined, ...to },
        client,
      );
      const answer = socksReply(SOCKS_REPLY.succeeded);
      const rest = input.release();
      await carryThrough(behind, link, { client, reached, port: to.port, answer, rest, spend: undefined });
    } finally {
      leave();
    }
  } catch (error) {
    const { lingerMs } = behind.limits;
    if (error instanceof ClientGone) client.destroy();
    else if (error instanceof NotAdmitted) {
      behind.count('proxy_token');
      farewell(client, SOCKS_LOGIN.rejected, lingerMs);
    } else if (error instanceof SocksRefusal) {
      behind.count('proxy_form');
      farewell(client, error.bytes, lingerMs);
    } else if (error instanceof Denial || isSublError(error))
      farewell(client, denySocks(Denial.of(error)), lingerMs);
    else throw error;
  }
}

interface Asked {
  readonly link: RunLink;
  readonly serverName: string | undefined;
  readonly to: Authority;
}

async function converse(client: Socket, input: ClientInput, behind: Behind): Promise<Asked> {
  const reader = new SocksReader();
  let of: Omit<Asked, 'to'> | undefined;
  for (;;) {
    const chunk = await input.read();
    if (chunk === undefined) throw new ClientGone('the client has left');
    reader.push(chunk);
    for (let step = reader.next(); step !== undefined; step = reader.next()) {
      if (step.type === 'reply') client.write(step.bytes);
      else if (step.type === 'refused') throw new SocksRefusal(step.bytes, step.why);
      else if (step.type === 'login') {
        of = login(step, behind);
        client.write(SOCKS_LOGIN.accepted);
      } else {
        if (of === undefined) throw new NotAdmitted();
        input.unread(step.rest);
        return { ...of, to: step.to };
      }
    }
  }
}

function login(
  { user, password }: Extract<SocksStep, { readonly type: 'login' }>,
  behind: Behind,
): Omit<Asked, 'to'> {
  const shown = readLogin(user, password);
  return { link: behind.admit(shown), serverName: shown?.serverName };
}
