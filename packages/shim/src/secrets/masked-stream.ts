import { Transform, type Readable } from 'node:stream';
import type { ValueMask } from '@subluminal/mcp';

/** A stream without what the masks take out, one after the other; the stream itself where there are none. */
export function maskedStream(source: Readable, masks: readonly ValueMask[]): Readable {
  let stream = source;
  for (const mask of masks) stream = pipe(stream, mask);
  return stream;
}

function pipe(source: Readable, mask: ValueMask): Readable {
  const masked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, mask.push(chunk));
    },
    flush(done) {
      done(null, mask.end());
    },
  });
  source.once('error', (error) => masked.destroy(error));
  // A pipe that is closed without its end has nothing more to say either.
  source.once('close', () => {
    if (!source.readableEnded) masked.end();
  });
  return source.pipe(masked);
}
