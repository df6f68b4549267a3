import { Carriage, type CarriageParts } from './carriage.js';
import { Denial } from './denial.js';
import { denyHttp, TLS_ALERT } from './deny.js';
import { type Decided, FirstBytes } from './first-bytes.js';

export interface TunnelParts extends CarriageParts {
  readonly decided: Decided;
  /** How long the client may take to say what the connection is for. */
  readonly firstMs: number;
}

/** A connection that is carried as it is, once what the client says first was held against what was decided. */
export interface Tunnel {
  readonly carriage: Carriage;
  readonly first: FirstBytes;
}

/** Opens it. `rest`: what was read of the client already. */
export function openTunnel(parts: TunnelParts, rest: Buffer | undefined): Tunnel {
  const { decided, server, firstMs } = parts;
  const first = new FirstBytes(decided);
  const tooSlow = (): void => {
    const denial = new Denial('timed_out', 'the client did not say what the connection is for');
    carriage.refuse({ outcome: 'timed_out' }, denial, undefined);
  };
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    if (first.isJudged) {
      clearTimeout(timer);
      carriage.startDown();
    } else if (!decided.raw || first.isTls) timer ??= setTimeout(tooSlow, firstMs);
  };
  const onClientEnd = (): void => {
    if (first.isJudged || (decided.raw && !first.isTls)) server.end();
    else carriage.finish({ outcome: 'closed', detail: 'the client left before it said what it is for' });
  };
  const carriage: Carriage = new Carriage(parts, {
    up(chunk) {
      if (first.isOpen) return chunk;
      const passed = first.push(chunk);
      watch();
      return passed;
    },
    down: (chunk) => chunk,
    onClientEnd,
    onFault(error) {
      const denial = Denial.of(error);
      if (denial.code === 'budget_spent') carriage.cut({ outcome: 'budget', code: denial.code });
      else carriage.refuse({ outcome: 'refused' }, denial, first.isTls ? TLS_ALERT : denyHttp(denial));
    },
  });
  void carriage.over.then(() => clearTimeout(timer));
  if (decided.raw) carriage.startDown();
  watch();
  carriage.startUp(rest);
  return { carriage, first };
}
