/** Frames of the bare prototype: length, 43 characters of signature, text. */

const HEADER_BYTES = 4;
const MAC_CHARS = 43;

export function frameOf(text, mac) {
  const length = MAC_CHARS + Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame.latin1Write(mac, HEADER_BYTES);
  frame.utf8Write(text, HEADER_BYTES + MAC_CHARS);
  return frame;
}

/** A listener for `data` that calls `onFrame` with text and signature. */
export function frames(onFrame) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (bytes.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + bytes.readUInt32BE(0);
      if (bytes.length < end) break;
      const textAt = HEADER_BYTES + MAC_CHARS;
      onFrame(bytes.utf8Slice(textAt, end), bytes.latin1Slice(HEADER_BYTES, textAt));
      bytes = bytes.subarray(end);
    }
    rest = Buffer.from(bytes);
  };
}
