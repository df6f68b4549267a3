/**
 * Numbers of the list of sixty whose attacks are carried out where their subject is: the file, and the tests
 * by name.
 */
export const ELSEWHERE: readonly {
  readonly number: number;
  readonly file: string;
  readonly tests: readonly string[];
}[] = [
  {
    number: 52,
    file: 'tests/cli/anchors.test.ts',
    tests: [
      'makes it tampered, class anchor, and nothing takes that back: an anchor that was edited',
      'one that was emptied, or lost a checkpoint',
      'a branch that was rewound, or removed',
      'a ledger that was put back, heads.log included: the place is remembered beside it',
    ],
  },
  {
    number: 60,
    file: 'packages/ledger/src/proof/offline-verifier.test.ts',
    tests: [
      // Rows left out, the last one left out, of another place, mixed with those of another ledger, changed.
      'one left out',
      'the last one left out',
      'one twice',
      'two exchanged',
      'an entry of another ledger',
      'a body changed',
      // The proof is for another index or size, has a hash too many, too few, none.
      'another index',
      'another size',
      'an extra hash at the end',
      'an extra hash at the start',
      'a missing hash',
      'no hashes',
      // A node is not a leaf.
      'that passes an interior node off as an entry is refused',
      // Names, keys, witnesses, bytes.
      'another key name on the signature',
      'that another key signed is refused, even under the log’s name and key id',
      'with a cosignature of an unknown witness is as good as one without',
      'line endings of another system',
      'line endings changed in the checkpoint only',
      'of a fork is refused: two roots that the log signed for one size',
    ],
  },
];
