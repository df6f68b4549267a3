import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import type { Page } from '../state/page.js';

/** A dialog over the page; the focus returns to where it was. */
export function Modal({
  page,
  title,
  children,
}: {
  readonly page: Page;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const from = document.activeElement;
    element.current?.showModal();
    return () => {
      if (from instanceof HTMLElement) from.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={() => (page.dialog.value = null)}>
      <h1>{title}</h1>
      {children}
    </dialog>
  );
}

/** The button that closes the dialog, and does nothing else. */
export function Dismiss({
  page,
  says,
  isFirst = false,
}: {
  readonly page: Page;
  readonly says: string;
  /** It has the focus as the dialog opens. */
  readonly isFirst?: boolean;
}): JSX.Element {
  return (
    <button type="button" autoFocus={isFirst} onClick={() => (page.dialog.value = null)}>
      {says}
    </button>
  );
}
