import type { ApiError, RefusalCode } from '../protocol/errors.js';

/** A request of the page that goes no further: its status, and what the page is told. */
export class UiRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly help: string | undefined;

  /** `code`: a `RefusalCode`, or a code of the gateway. */
  constructor(status: number, code: RefusalCode | (string & {}), message: string, help?: string) {
    super(message);
    this.name = 'UiRefusal';
    this.status = status;
    this.code = code;
    this.help = help;
  }

  get body(): ApiError {
    const { code, message, help } = this;
    return { error: { code, message, ...(help === undefined ? {} : { help }) } };
  }
}
