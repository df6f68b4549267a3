#!/usr/bin/perl
# Tells what is in the upper folder of a layer. The marks of a layer are extended attributes, which Node cannot
# read, and Node takes ten times as long for each name.
#
#   walk.pl UPPER MOST_NAMES MOST_BYTES
#
# For each line of stdin, a time in nanoseconds, it walks once and prints records, each ended by a NUL byte:
#
#   D PATH    a folder whose names have changed since; an N for each of them follows
#   N NAME
#   E TYPE MODE SIZE INODE CHANGED MODIFIED BORN MARK PATH
#             a thing that has changed since: TYPE is f, d, l, w (a whiteout) or o; MARK is o for a folder that
#             hides what the project has there, else -
#   U PATH    a folder that cannot be read
#   T         there are more than MOST_NAMES names, their paths have more than MOST_BYTES, or folders are too deep for
#             a descriptor each
#   Z TIME    the end; the walk began at that time
#
# It goes down by descriptors and follows no link. It loads no module: a test checks it under `strict`.

my $is_arm = do {
  open(my $self, '<', '/proc/self/exe') or die "/proc/self/exe: $!\n";
  read($self, my $head, 20) == 20 or die "/proc/self/exe has no head\n";
  unpack('x18 S', $head) == 183;
};
my %number = $is_arm ? (statx => 291, lgetxattr => 9, clock_gettime => 113) : (statx => 332, lgetxattr => 192, clock_gettime => 228);
# Numbers of the kernel.
sub AT_FDCWD() { -100 } sub AT_SYMLINK_NOFOLLOW() { 0x100 } sub STATX_BASIC_STATS_AND_BTIME() { 0xfff }
sub O_RDONLY() { 0 } sub O_PATH() { 0x200000 } sub CLOCK_REALTIME_COARSE() { 5 } sub DEEPEST() { 400 }
my ($O_DIRECTORY, $O_NOFOLLOW) = $is_arm ? (0x4000, 0x8000) : (0x10000, 0x20000);
my %type_of = (0100000 => 'f', 0040000 => 'd', 0120000 => 'l');
# Whoever is in a world can write neither: the kernel keeps the first for root, and hides the other in a layer.
my $opaque = ($> == 0 ? 'trusted' : 'user') . ".overlay.opaque\0";

my ($upper, $most, $most_bytes) = @ARGV;
die "no upper folder, or no bound\n" unless $most && $most_bytes;
sysopen(my $root, $upper, O_RDONLY | $O_DIRECTORY | $O_NOFOLLOW) or die "`$upper`: $!\n";
binmode STDOUT;
my ($since, $left, $left_bytes, $is_cut, $records);
# The struct that statx fills.
my $stat = "\0" x 256;
my $statx = $number{statx};

while (defined(my $line = <STDIN>)) {
  my $began = now();
  ($since, $left, $left_bytes, $is_cut, $records) = ($line + 0, $most, $most_bytes, 0, '');
  chdir $root or die "`$upper`: $!\n";
  walk('', changed_here(), 0);
  $records .= "T\0" if $is_cut;
  $records .= "Z $began\0";
  flush_records();
}

# The working folder, which is at that path.
sub walk {
  my ($path, $changed, $depth) = @_;
  my $names;
  if (!opendir $names, '.') {
    $records .= "U $path\0";
    return;
  }
  my $is_new = $changed >= $since;
  $records .= "D $path\0" if $is_new;
  my @folders;
  while (defined(my $name = readdir $names)) {
    next if $name eq '.' || $name eq '..';
    # A path is as long as the names above it, too: each name costs all of them.
    $left_bytes -= length($path) + 1 + length $name;
    if (--$left < 0 || $left_bytes < 0) {
      $is_cut = 1;
      last;
    }
    # Nearly all names end here: a call to another sub for each of them would take longer than the kernel.
    my $named = "$name\0";
    next if syscall($statx, AT_FDCWD, $named, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS_AND_BTIME, $stat) == -1;
    my ($kind, $seconds, $nanoseconds) = unpack('x28 S x66 q L', $stat);
    my $at = $seconds * 1_000_000_000 + $nanoseconds;
    my $is_folder = ($kind & 0170000) == 0040000;
    next if !$is_new && !$is_folder && $at < $since;
    $records .= "N $name\0" if $is_new;
    my $whole = $path eq '' ? $name : "$path/$name";
    if ($at >= $since) {
      my ($type, $mode, $size, $inode, $modified, $born) = told();
      my $mark = $is_folder && is_opaque($name) ? 'o' : '-';
      $records .= "E $type $mode $size $inode $at $modified $born $mark $whole\0";
    }
    push @folders, [$name, $whole, $at] if $is_folder;
    flush_records() if length $records > 65_536;
  }
  closedir $names;
  return if !@folders;
  if ($depth >= DEEPEST) {
    $is_cut = 1;
    return;
  }
  sysopen(my $here, '.', O_PATH | $O_DIRECTORY) or die "folder: $!\n";
  for my $folder (@folders) {
    last if $is_cut;
    my ($name, $whole, $at) = @$folder;
    if (enter($name)) {
      walk($whole, $at, $depth + 1);
      chdir $here or die "folder: $!\n";
    } else {
      $records .= "U $whole\0";
    }
  }
}

# By a descriptor, so that what was looked at is what is entered, or nothing.
sub enter {
  my ($name) = @_;
  sysopen(my $folder, $name, O_RDONLY | $O_DIRECTORY | $O_NOFOLLOW) or return 0;
  return chdir $folder;
}

# Of the buffer: stx_mode, stx_ino, stx_size, then stx_btime (0 if there is none) and stx_mtime, then the
# device that it is, if it is one.
sub told {
  my ($mode, $inode, $size, $b, $b_ns, $m, $m_ns, $major, $minor) =
    unpack('x28 S x2 Q Q x32 q L x20 q L x4 L L', $stat);
  my $type = $type_of{ $mode & 0170000 } // ((($mode & 0170000) == 0020000 && $major == 0 && $minor == 0) ? 'w' : 'o');
  return ($type, $mode & 07777, $type eq 'f' ? $size : 0, $inode,
    $m * 1_000_000_000 + $m_ns, $b * 1_000_000_000 + $b_ns);
}

sub changed_here {
  my $here = ".\0";
  syscall($statx, AT_FDCWD, $here, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS_AND_BTIME, $stat) == 0
    or die "the upper folder is gone\n";
  my ($seconds, $nanoseconds) = unpack('x96 q L', $stat);
  return $seconds * 1_000_000_000 + $nanoseconds;
}

sub is_opaque {
  my ($name) = @_;
  my ($path, $value) = ("$name\0", "\0" x 4);
  return syscall($number{lgetxattr}, $path, $opaque, $value, 4) == 1 && substr($value, 0, 1) eq 'y';
}

# The clock of files.
sub now {
  my $time = "\0" x 16;
  syscall($number{clock_gettime}, CLOCK_REALTIME_COARSE, $time) == 0 or die "clock: $!\n";
  my ($seconds, $nanoseconds) = unpack('qq', $time);
  return $seconds * 1_000_000_000 + $nanoseconds;
}

sub flush_records {
  while (length $records) {
    my $written = syswrite(STDOUT, $records) // exit 1;
    substr($records, 0, $written) = '';
  }
}
