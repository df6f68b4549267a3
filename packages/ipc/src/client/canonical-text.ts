/** A payload that is canonical JSON already: it is signed and sent as it stands. */
export class CanonicalText {
  readonly text: string;

  /** `text` is what `canonicalize` would give for the value; a gateway refuses any other. */
  constructor(text: string) {
    this.text = text;
  }
}
