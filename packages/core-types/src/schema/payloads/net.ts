import * as z from 'zod';
import { isErrorCode, type ErrorCode } from '../../errors/codes.js';
import { Label } from '../json.js';

const Count = z.number().int().nonnegative();
/** The words of a peer, as far as they can be shown. */
const printable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x20-\x7e]*$/);

/**
 * How a client asked for a connection: `CONNECT`, a request in absolute form, or SOCKS5, each of the proxy;
 * or by connecting, in a world.
 */
export const NetVia = z.enum(['connect', 'http', 'socks5', 'world']);
export type NetVia = z.infer<typeof NetVia>;

/**
 * `net.connect`: the proxy asks, on the run's behalf, before it dials. The answer's data says which addresses
 * may be dialled, and what may be carried. `host` is what the client wrote.
 */
export const NetConnectPayload = z.strictObject({
  shim_id: Label.optional(),
  /** The server whose connection this is; without it the run's own. */
  server_name: Label.optional(),
  via: NetVia,
  /** The world that it comes from: of `via: world` alone, and of each such. */
  world_id: Label.optional(),
  host: z.string().min(1).max(255),
  port: z.number().int().min(1).max(65_535),
});
export type NetConnectPayload = z.infer<typeof NetConnectPayload>;

/** `net.name`: whether a program in a world may learn that a name leads somewhere. */
export const NetNamePayload = z.strictObject({
  server_name: Label.optional(),
  /** The world that asks. */
  world_id: Label.optional(),
  host: z.string().min(1).max(255),
});
export type NetNamePayload = z.infer<typeof NetNamePayload>;

/**
 * How a connection ended. `refused`: after it was decided, by what came first on it. `failed`: it was never
 * made, or broke. `budget`: the run has used up what it may. `timed_out`: nothing came for too long. `cut`:
 * the gateway ended it.
 */
export const NetOutcome = z.enum(['closed', 'refused', 'failed', 'budget', 'timed_out', 'cut']);
export type NetOutcome = z.infer<typeof NetOutcome>;

/**
 * `net.end`: what became of a connection. `pending_seq` is what `net.connect` answered; one end is taken, of
 * the run that opened it.
 */
export const NetEndPayload = z.strictObject({
  pending_seq: z.number().int().positive(),
  outcome: NetOutcome,
  code: z.custom<ErrorCode>((code) => typeof code === 'string' && isErrorCode(code)).optional(),
  detail: printable(300).optional(),
  /** The name that the client named in its handshake. */
  sni: printable(255).optional(),
  /**
   * The handshake has an encrypted part (ECH): the name may be that of a decoy. Clients also send one that
   * means nothing.
   */
  ech: z.literal(true).optional(),
  /** The address that was dialled. */
  address: z
    .string()
    .regex(/^[0-9A-Fa-f:.]{2,45}$/)
    .optional(),
  /** Where secrets may be put in: the requests on the connection, and in how many of them each was. */
  requests: Count.optional(),
  injected: z
    .array(z.strictObject({ inject_as: z.string().min(1).max(128), requests: Count }))
    .max(256)
    .optional(),
  bytes_up: Count,
  bytes_down: Count,
  ms: Count,
});
export type NetEndPayload = z.infer<typeof NetEndPayload>;
