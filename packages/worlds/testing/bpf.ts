/** The answer of the filter to a system call, as the kernel's interpreter of classic BPF gives it. */
export function answerOf(filter: Buffer, arch: number, number: number, ...args: readonly bigint[]): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(arch, 4);
  for (const [at, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * at);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const [ifTrue, ifFalse] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x54) loaded = (loaded & value) >>> 0;
    else {
      const holds =
        code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0;
      at += holds ? ifTrue : ifFalse;
    }
  }
  throw new Error('the filter has no end');
}
