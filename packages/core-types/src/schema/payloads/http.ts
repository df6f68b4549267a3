import * as z from 'zod';
import { Label } from '../json.js';

/**
 * `http.reach`: the gateway itself asks this for a run, before it sends to an MCP server over HTTP what the
 * run's client wrote. The answer's data holds the addresses that may be dialled.
 */
export const HttpReachPayload = z.strictObject({
  shim_id: Label,
  server_name: Label,
  upstream: z.string().min(1).max(8192),
  /** Where on itself the server has sent the request. */
  redirect: z.string().min(1).max(8192).optional(),
});
export type HttpReachPayload = z.infer<typeof HttpReachPayload>;
