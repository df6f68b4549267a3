/** Where a text stops being TOML that we can follow, as an offset into it. */
export class TomlSyntax extends Error {
  override readonly name = 'TomlSyntax';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** A place in a text that only moves forward. */
export class Cursor {
  readonly text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Whether the text goes on with `what` here. */
  sees(what: string): boolean {
    return this.text.startsWith(what, this.at);
  }

  /** Passes `what` where it stands here. */
  takes(what: string): boolean {
    if (!this.sees(what)) return false;
    this.at += what.length;
    return true;
  }

  /** Passes `what`, or says that it is missing. */
  needs(what: string): void {
    if (!this.takes(what)) this.fail(`\`${what}\` is missing`);
  }

  /** Passes everything that `pattern` (sticky) matches here, and gives it back. */
  passes(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  fail(message: string): never {
    throw new TomlSyntax(message, this.at);
  }
}
