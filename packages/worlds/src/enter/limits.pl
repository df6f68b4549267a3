# The limits of a world, as its first process keeps them: it sees all of the world's processes, and nobody in
# the world can end or stop it.
#
#   memory=BYTES wall=MILLISECONDS processes=NUMBER data=BYTES nice=NUMBER home=PATH, with commas between them
#
# Memory without a control group is looked at every 20 ms, so it is approximate. Each look takes an upper bound,
# which is cheap: memory of the processes' own (a page that two share after a fork counts twice), and by how much
# the memory of files has grown on the whole machine. Where that is over the limit, and only there, memory is
# counted properly: shared pages by their share, files without a name by whoever has them open, folders that are
# memory by what they say.
#
# It stands behind `wire.pl`, and before `init.pl`, which has `limit_reached`.

our %limit_call = $is_arm
  ? (prlimit64 => 261, statfs => 43, clock_gettime => 113, setpriority => 140)
  : (prlimit64 => 302, statfs => 137, clock_gettime => 228, setpriority => 141);
my %limit_number = (data => 2, processes => 6);
# Seconds: from one look to the next, of which no look may take more than a fifth; and from one proper count to
# the next, where memory has hardly grown meanwhile.
sub LOOK_SECONDS() { 0.02 } sub COUNT_SECONDS() { 0.25 } sub PAGE() { 4096 } sub CLOCK_MONOTONIC() { 1 }
sub TMPFS() { 0x01021994 } sub MOST_FILES() { 20_000 }

my %limit;
# Places of the world that are memory.
my @memory_places;
my ($wall_end, $files_least, $next_look, $counted_at, $counted_bound, $killed, $killed_at) = (undef, undef, 0, 0, 0, undef, 0);

# Takes the limits, from now on. Processes and data hold for each process exactly, and for its children.
sub begin_limits {
  my ($words) = @_;
  %limit = map { split /=/, $_, 2 } split /,/, $words;
  $wall_end = seconds() + $limit{wall} / 1000 if $limit{wall};
  for my $name (grep { $limit{$_} } keys %limit_number) {
    my $pair = pack('QQ', $limit{$name}, $limit{$name});
    syscall($limit_call{prlimit64}, 0, $limit_number{$name}, $pair, 0) == 0 or die "limit of $name: $!\n";
  }
  @memory_places = ('/tmp', '/var/tmp', '/run', '/dev/shm', $limit{home} // ());
  $files_least = memory_of_files() if $limit{memory};
}

# In a program that is about to start: what looks after it comes before it.
sub step_back { syscall($limit_call{setpriority}, 0, 0, $limit{nice} + 0) if $limit{nice} }

# Looks whether a limit is reached. Gives the seconds until it wants to look again, undef for never.
# `$is_running`: there is a program, without which memory does not grow.
sub look_at_limits {
  my ($is_running) = @_;
  my $now = seconds();
  if (defined $wall_end && $now >= $wall_end) {
    limit_reached('wall', 1, "its $limit{wall} ms are over");
  }
  my $left = defined $wall_end ? $wall_end - $now : undef;
  return $left unless $limit{memory} && $is_running;
  if ($now >= $next_look) {
    look_at_memory($now);
    my $after = seconds();
    my $pause = 4 * ($after - $now);
    $next_look = $after + ($pause > LOOK_SECONDS ? $pause : LOOK_SECONDS);
    $now = $after;
  }
  my $until = $next_look - $now;
  return defined $left && $left < $until ? $left : $until;
}

sub look_at_memory {
  my ($now) = @_;
  # A process that has been ended gives its memory back a little later.
  return if defined $killed && -e "/proc/$killed" && $now - $killed_at < 1;
  undef $killed;
  my $files = memory_of_files();
  $files_least = $files if $files < $files_least;
  my $places = memory_of_places();
  my $grown = $files - $files_least;
  $grown = $places if $places > $grown;
  my ($own, $pids) = memory_of_processes();
  my $bound = $own + $grown;
  return if $bound <= $limit{memory};
  return if $now - $counted_at < COUNT_SECONDS && $bound < $counted_bound * 1.05;
  ($counted_at, $counted_bound) = ($now, $bound);
  my ($total, $largest) = count_memory($pids, $grown, $places);
  return if $total <= $limit{memory};
  my $of = sprintf('%d of %d MiB of memory are in use', $total / 1_048_576, $limit{memory} / 1_048_576);
  # Files go with the world alone.
  if (!defined $largest || $places >= $limit{memory}) {
    limit_reached('memory', 1, "$of, with what is in /tmp");
  }
  my $name = name_of($largest);
  kill 'KILL', $largest;
  ($killed, $killed_at, $counted_at) = ($largest, $now, 0);
  limit_reached('memory', 0, "$of: `$name` was ended");
}

# Bytes that are each process's own, all together, and the processes.
sub memory_of_processes {
  opendir(my $processes, '/proc') or die "/proc: $!\n";
  my @pids = grep { /^\d+$/ && $_ != 1 } readdir $processes;
  my $pages = 0;
  for my $pid (@pids) {
    open(my $file, '<', "/proc/$pid/statm") or next;
    my (undef, $resident, $shared) = split / /, <$file> // next;
    $pages += $resident - $shared;
  }
  return ($pages * PAGE, \@pids);
}

# Counts properly. Gives the bytes, and the process that has most of them.
sub count_memory {
  my ($pids, $grown, $places) = @_;
  my ($own, $files, $most, $largest, $looked) = (0, $places + memory_of_segments(), -1, undef, 0);
  my %seen;
  for my $pid (@$pids) {
    my ($anonymous, $shared) = shares_of($pid);
    my $has = $anonymous + $shared;
    opendir(my $descriptors, "/proc/$pid/fd") or next;
    while (defined(my $number = readdir $descriptors)) {
      last if ++$looked > MOST_FILES;
      my $leads = readlink "/proc/$pid/fd/$number" // next;
      next unless index($leads, '/memfd:') == 0;
      my ($inode, $blocks) = (stat "/proc/$pid/fd/$number")[1, 12];
      next unless defined $blocks;
      $has += $blocks * 512;
      $files += $blocks * 512 unless $seen{$inode}++;
    }
    $own += $anonymous;
    $files += $shared;
    ($most, $largest) = ($has, $pid) if $has > $most;
  }
  # Of a file without a name that is mapped, both its pages and its blocks were counted.
  $files = $grown if $files > $grown;
  return ($own + $files, $largest);
}

# Its share of pages without a file and of those of memory's files; where it hides them, what it has at most.
sub shares_of {
  my ($pid) = @_;
  if (open(my $file, '<', "/proc/$pid/smaps_rollup")) {
    local $/;
    my $text = <$file> // '';
    my ($anonymous) = $text =~ /^Pss_Anon:\s+(\d+)/m;
    my ($shared) = $text =~ /^Pss_Shmem:\s+(\d+)/m;
    return ($anonymous * 1024, $shared * 1024) if defined $anonymous && defined $shared;
  }
  open(my $file, '<', "/proc/$pid/statm") or return (0, 0);
  my (undef, $resident, $shared) = split / /, <$file> // return (0, 0);
  return (($resident - $shared) * PAGE, 0);
}

# Bytes of files that are memory, on the whole machine.
sub memory_of_files {
  open(my $file, '<', '/proc/meminfo') or return 0;
  local $/;
  my ($kilobytes) = (<$file> // '') =~ /^Shmem:\s+(\d+)/m;
  return ($kilobytes // 0) * 1024;
}

sub memory_of_places {
  my $bytes = 0;
  for my $place (@memory_places) {
    my ($path, $facts) = ("$place\0", "\0" x 256);
    next unless syscall($limit_call{statfs}, $path, $facts) == 0;
    my ($kind, $size, $blocks, $free) = unpack('q4', $facts);
    next unless $kind == TMPFS;
    $bytes += ($blocks - $free) * $size;
  }
  return $bytes;
}

# Segments of System V, which are the world's own.
sub memory_of_segments {
  open(my $file, '<', '/proc/sysvipc/shm') or return 0;
  my $bytes = 0;
  while (my $line = <$file>) {
    my @fields = split ' ', $line;
    $bytes += $fields[14] if @fields > 14 && $fields[14] =~ /^\d+$/;
  }
  return $bytes;
}

# A process chooses its own name.
sub name_of {
  my ($pid) = @_;
  open(my $file, '<', "/proc/$pid/comm") or return $pid;
  my $name = <$file> // '';
  $name =~ tr/A-Za-z0-9._+-//cd;
  return $name eq '' ? $pid : $name;
}

sub seconds {
  my $time = "\0" x 16;
  syscall($limit_call{clock_gettime}, CLOCK_MONOTONIC, $time);
  my ($seconds, $nanoseconds) = unpack('qq', $time);
  return $seconds + $nanoseconds / 1_000_000_000;
}

1;
