/** The exit code of a status of wait(2), as a shell tells it. */
export function exitOfStatus(status: number): number {
  const signal = status & 0x7f;
  return signal === 0 ? (status >> 8) & 0xff : 128 + signal;
}
