import { createConnection } from 'node:net';

const FRAME = Buffer.from('H\0\0\0\0', 'latin1');
const ANSWER_MS = 5000;

/**
 * Asks at the door of a world that it ends, if nothing runs there. `ends`: it does, and closes the door.
 * `stays`: something runs there, or nobody answers.
 */
export function askToEnd(door: string): Promise<'ends' | 'stays'> {
  return new Promise((resolve) => {
    const socket = createConnection(door);
    const answer = (word: 'ends' | 'stays') => (): void => {
      socket.destroy();
      resolve(word);
    };
    socket.setTimeout(ANSWER_MS, answer('stays'));
    socket.once('error', answer('stays'));
    socket.once('data', answer('stays'));
    socket.once('close', answer('ends'));
    socket.once('connect', () => void socket.write(FRAME));
  });
}
