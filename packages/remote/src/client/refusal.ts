/** JSON-RPC codes of what is refused before it is a call. */
export const RPC = {
  invalidRequest: -32600,
  internal: -32603,
  /** What servers answer who do not know a session. */
  unknownSession: -32001,
  /** `HeaderMismatch` of revision 2026-07-28. */
  headerMismatch: -32020,
} as const;

/** A request that goes no further, with the status that it is answered with. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly rpcCode: number;

  constructor(status: number, message: string, rpcCode: number = RPC.invalidRequest) {
    super(message);
    this.name = 'HttpRefusal';
    this.status = status;
    this.rpcCode = rpcCode;
  }
}

/** Whoever asks was led here by somebody else. */
export class ForeignOrigin extends HttpRefusal {
  constructor(message: string) {
    super(403, message);
  }
}

/**
 * The body of such an answer: a JSON-RPC error, of the request where its id is known. `idText` is the id as
 * JSON.
 */
export function refusalBody(rpcCode: number, message: string, idText = 'null', code?: string): Buffer {
  const data = code === undefined ? '' : `,"data":{"code":${JSON.stringify(code)}}`;
  const error = `{"code":${rpcCode},"message":${JSON.stringify(`subluminal: ${message}`)}${data}}`;
  return Buffer.from(`{"jsonrpc":"2.0","id":${idText},"error":${error}}`);
}
