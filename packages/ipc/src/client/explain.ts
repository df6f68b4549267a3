import {
  type ClientSide,
  describeMismatch,
  isSublError,
  type Speaks,
  SublError,
} from '@subluminal/core-types';
import { readGatewayFile } from '../home/gateway-file.js';

/**
 * A handshake fails in the same way whatever the reason. Where the gateway that runs has written down that it
 * speaks another protocol, that is the reason: `version_mismatch` then, and the error itself otherwise.
 */
export function explained(
  error: unknown,
  gatewayFile: string | undefined,
  side: ClientSide,
  ours: Speaks,
): unknown {
  if (gatewayFile === undefined || !isSublError(error, 'handshake_refused', 'gateway_unreachable'))
    return error;
  if (error.details?.['absent'] === true) return error;
  const gateway = fileOrNothing(gatewayFile);
  if (gateway === undefined || gateway.protocol === ours.protocol) return error;
  const { message, help } = describeMismatch(side, ours, gateway);
  return new SublError('version_mismatch', message, { help, cause: error });
}

function fileOrNothing(path: string): ReturnType<typeof readGatewayFile> {
  try {
    return readGatewayFile(path);
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}
