import * as z from 'zod';
import { JsonValueSchema, recordOf } from '../json.js';

/** The methods that `service.api_call` may use. */
export const HttpMethod = z.enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);

/**
 * `service.api_call`. `endpoint` is an absolute http or https URL: its origin is what the allowlist decides
 * on. `service` is a label for people; nothing is keyed on it. A string body is sent as it is, any other as
 * JSON.
 */
export const ServiceApiCallPayload = z.strictObject({
  service: z.string().min(1).max(256),
  endpoint: z.string().min(1).max(8192),
  method: HttpMethod,
  headers: recordOf(z.string(), z.string()).optional(),
  body: JsonValueSchema.optional(),
});
export type ServiceApiCallPayload = z.infer<typeof ServiceApiCallPayload>;
