import { hostInUrl, SublError } from '@subluminal/core-types';
import { type AddressVerdict, type Destination, hostVerdict, mayDial } from '@subluminal/egress';
import type { Allowed } from './allowed.js';
import type { Caller } from '../pipeline/caller.js';

/**
 * The entry of the allowlist that lets a destination through.
 *
 * @throws SublError `not_allowed`; to the operator it names the verb that answers it, to an agent it does
 *   not.
 */
export function listed(
  allowlist: Pick<Allowed, 'find'>,
  wanted: Destination,
  { kind }: Caller,
): { readonly allow_private: boolean } {
  const entry = allowlist.find(wanted);
  if (entry !== undefined) return entry;
  const verdict = hostVerdict(wanted.host) ?? 'public';
  const verb = `\`sub allow add ${placeOf(wanted)}${verdict === 'public' ? '' : ' --private'}\``;
  throw notListed(wanted, kind === 'operator' && mayDial(verdict, true) ? { help: verb } : {});
}

/** The refusal of a destination that no entry lets through. */
export function notListed({ origin }: Destination, extra: { readonly help?: string } = {}): SublError {
  return new SublError('not_allowed', `\`${origin}\` is not on the allowlist`, extra);
}

/** A refused address that an entry could let through: to the operator the refusal names the verb. */
export function advised(error: SublError, { kind }: Caller, wanted: Destination | undefined): SublError {
  const verdict = error.details?.['verdict'] as AddressVerdict | undefined;
  if (error.code !== 'address_refused' || verdict === undefined || !mayDial(verdict, true)) return error;
  if (kind !== 'operator' || wanted === undefined) return error;
  return new SublError(error.code, error.message, {
    help: `where that is meant: \`sub allow add ${placeOf(wanted)} --private\``,
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

function placeOf({ host, port }: Destination): string {
  return `${hostInUrl(host)}:${port}`;
}
