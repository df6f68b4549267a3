/** What a made-up ClientHello has. */
export interface HelloParts {
  /** The names of `server_name`, each an entry of the list; without it there is no such extension. */
  readonly names?: readonly (string | Buffer)[];
  /** Further extensions, by number. */
  readonly extensions?: readonly (readonly [type: number, data: Buffer])[];
  readonly version?: number;
  /** Bytes behind the extensions. */
  readonly tail?: Buffer;
}

/** GREASE of RFC 8701, as browsers send it. */
export const GREASE: readonly (readonly [number, Buffer])[] = [
  [0x0a0a, Buffer.alloc(0)],
  [0xfafa, Buffer.from([0])],
];
export const ECH = 0xfe0d;

/** The handshake message, without a record around it. */
export function helloMessage({ names, extensions = [], version = 0x0303, tail }: HelloParts): Buffer {
  const all = names === undefined ? extensions : [[0, serverNames(names)] as const, ...extensions];
  const body = Buffer.concat([
    u16(version),
    Buffer.alloc(32, 7),
    vector8(Buffer.alloc(32, 9)),
    vector16(Buffer.from([0x0a, 0x0a, 0x13, 0x01, 0x13, 0x02, 0xc0, 0x2f])),
    vector8(Buffer.from([0])),
    vector16(Buffer.concat(all.flatMap(([type, data]) => [u16(type), vector16(data)]))),
    tail ?? Buffer.alloc(0),
  ]);
  return Buffer.concat([Buffer.from([1, 0]), u16(body.length), body]);
}

/** A handshake message in records of so many bytes each. */
export function records(message: Buffer, size = 16_384): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) parts.push(record(22, message.subarray(at, at + size)));
  return Buffer.concat(parts);
}

export function record(type: number, content: Buffer, version = 0x0301): Buffer {
  return Buffer.concat([Buffer.from([type]), u16(version), vector16(content)]);
}

/** A whole ClientHello for a name. */
export function helloFor(name: string, parts: HelloParts = {}): Buffer {
  return records(helloMessage({ names: [name], ...parts }));
}

function serverNames(names: readonly (string | Buffer)[]): Buffer {
  return vector16(Buffer.concat(names.flatMap((name) => [Buffer.from([0]), vector16(Buffer.from(name))])));
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function vector8(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([content.length]), content]);
}

function vector16(content: Buffer): Buffer {
  return Buffer.concat([u16(content.length), content]);
}
