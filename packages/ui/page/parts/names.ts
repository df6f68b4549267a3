import type { Row } from '../../src/protocol/index.js';
import { plainText } from './plain-text.js';

/** The name of a row: `server.tool`, or its action. */
export function nameOf({ server, tool, action }: Pick<Row, 'server' | 'tool' | 'action'>): string {
  if (server !== null && tool !== null) return `${plainText(server, 60)}.${plainText(tool, 80)}`;
  return plainText(action ?? '', 80);
}

/** The end of a run's id tells runs apart: its beginning is the time. */
export function shortRun(run: string): string {
  return plainText(run.slice(-6), 12);
}
