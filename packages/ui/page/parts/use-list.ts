import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { List, type ListParts } from './list.js';

/** The list of a view once its element is there, and the element itself. */
export interface Listed<Row> {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<List<Row> | null>;
}

/** A list in an element of Preact: made and gone with it, and made again for rows of another height. */
export function useList<Row>(
  parts: () => Omit<ListParts<Row>, 'host' | 'rowHeight'>,
  filled: (list: List<Row>) => void,
): Listed<Row> {
  const host = useRef<HTMLDivElement>(null);
  const list = useRef<List<Row>>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const make = (): void => {
      list.current?.destroy();
      list.current = new List<Row>({ ...parts(), host: element, rowHeight: rowHeight() });
      filled(list.current);
    };
    const narrow = matchMedia('(width < 48rem)');
    narrow.addEventListener('change', make);
    make();
    return () => {
      narrow.removeEventListener('change', make);
      list.current?.destroy();
      list.current = null;
    };
  }, []);
  return { host, list };
}

/** `--row`, in pixels. */
function rowHeight(): number {
  const style = getComputedStyle(document.documentElement);
  return (
    Math.round(Number.parseFloat(style.getPropertyValue('--row')) * Number.parseFloat(style.fontSize)) || 28
  );
}
