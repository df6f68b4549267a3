/** What of a bundle contradicts itself or what it is held against. */
export type BundleFaultClass =
  | 'manifest' // it is no manifest, or does not say what the files hold
  | 'file' // a file is missing, or not the one that the manifest names
  | 'genesis' // the genesis record is none, or not the one of the pin
  | 'checkpoint' // the checkpoint is not signed by this ledger's key, or contradicts one that was kept
  | 'proof' // an entry does not stand under the checkpoint
  | 'chain' // the entries are not the whole chain of one run up to the proven one
  | 'events' // the events are not what the entries say
  | 'preview' // a preview is not the one that its entry commits to, or is missing
  | 'policy' // a policy does not have its hash, or no entry names it
  | 'receipt'; // somebody was given another leaf for an entry

/** A contradiction in a bundle. */
export class BundleFault extends Error {
  readonly class: BundleFaultClass;
  /** Number of the line, or of the entry, that it stands at; 0 where none can be named. */
  readonly at: number;

  constructor(faultClass: BundleFaultClass, message: string, at = 0) {
    super(message);
    this.class = faultClass;
    this.at = at;
  }
}
