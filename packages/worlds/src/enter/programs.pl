# Tells which programs are started in a world, and by which other one.
#
# Before each program of ours is started it takes a filter by which the kernel asks here before every execve of
# it and of all that comes from it (seccomp_unotify(2)). The answer is always that it goes on: another thread
# may change the name after it was read, so this tells and decides nothing. Each program of ours has a filter of
# its own, so its children are told apart from others, wherever they go.
#
# It stands behind `wire.pl`, and before `init.pl`.

our %program_call = $is_arm ? (seccomp => 277, execve => 221, execveat => 281) : (seccomp => 317, execve => 59, execveat => 322);
sub SET_MODE_FILTER() { 1 } sub NEW_LISTENER() { 8 } sub WAIT_KILLABLE() { 32 } sub ASK() { 0x7fc00000 } sub ALLOW() { 0x7fff0000 }
sub NOTIF_RECV() { 0xc0502100 } sub NOTIF_SEND() { 0xc0182101 } sub NOTIF_ID_VALID() { 0x40082102 } sub NOTIF_BYTES() { 80 } sub CONTINUE() { 1 }
# Different programs of one of ours; and starts in a second that are looked at, behind which they are only counted.
sub MOST_PROGRAMS() { 256 } sub MOST_A_SECOND() { 500 } sub MOST_NAME() { 256 } sub MOST_AT_ONCE() { 64 }

# By the descriptor: who has taken no filter yet, and where the kernel asks.
my (%awaited, %listening);
# By the number of ours: starts by name and starter, and starts without a name.
my (%started, %unnamed);
my ($second, $in_second) = (0, 0);
# Numbers of those of ours of which nothing is left.
my @over;

# Both ends of what a program hands its listener over by.
sub programs_pair {
  socketpair(my $ours, my $its, 1, 1, 0) or return ();
  return ($ours, $its);
}

# In the program, before it starts. Without a filter nothing is told, and it starts all the same.
sub take_filter {
  my ($its) = @_;
  my @steps = ([0x20, 0, 0, 0], [0x15, 1, 0, $program_call{execve}], [0x15, 0, 1, $program_call{execveat}], [6, 0, 0, ASK], [6, 0, 0, ALLOW]);
  my $code = join '', map { pack('SCCL', @$_) } @steps;
  my $filter = pack('S x6 P', scalar @steps, $code);
  my $listener = syscall($program_call{seccomp}, SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE, $filter);
  # The second flag is younger than the first one.
  $listener = syscall($program_call{seccomp}, SET_MODE_FILTER, NEW_LISTENER, $filter) if $listener == -1;
  return if $listener == -1;
  send_with($its, 'L', $listener);
  close_descriptor($listener);
}

sub await_listener {
  my ($ours, $id) = @_;
  fcntl($ours, F_SETFD, FD_CLOEXEC);
  $awaited{ fileno $ours } = [$ours, $id];
}

# Descriptors to look at.
sub program_descriptors { return (keys %awaited, keys %listening) }

sub hear_programs {
  my ($read) = @_;
  for my $number (keys %awaited) {
    next unless vec($read, $number, 1);
    my ($ours, $id) = @{ delete $awaited{$number} };
    my $bytes = '';
    my $rights = receive($ours, \$bytes) // [];
    close $ours;
    next unless @$rights && open(my $listener, '+<&=', $rights->[0]);
    $listening{ fileno $listener } = [$listener, $id];
  }
  for my $number (keys %listening) { hear_listener($number) if vec($read, $number, 1) }
}

sub hear_listener {
  my ($number) = @_;
  my ($listener, $id) = @{ $listening{$number} };
  for (1 .. MOST_AT_ONCE) {
    my $asked = "\0" x NOTIF_BYTES;
    if (!ioctl($listener, NOTIF_RECV, $asked)) {
      # Nobody is left who could ask; or who asked is gone.
      if (is_over($number)) { delete $listening{$number}; close $listener; push @over, $id }
      return;
    }
    my ($ticket, $pid, $flags, $call, $arch, $place, @arguments) = unpack('QLLlLQQ6', $asked);
    note_start($listener, $id, $ticket, $pid, $call == $program_call{execveat} ? $arguments[1] : $arguments[0]);
    my $answer = pack('QqlL', $ticket, 0, 0, CONTINUE);
    ioctl($listener, NOTIF_SEND, $answer);
    my $more = '';
    vec($more, $number, 1) = 1;
    return if select($more, undef, undef, 0) <= 0;
  }
}

# Whether every process with that filter has ended. poll(2) alone says it: select(2) has no word for it.
sub is_over {
  my ($number) = @_;
  my $looked = pack('lss', $number, 1, 0);
  my $none = pack('qq', 0, 0);
  # One that cannot be looked at any more would be looked at for ever.
  return 1 if syscall($is_arm ? 73 : 271, $looked, 1, $none, 0, 0) == -1;
  return (unpack('lss', $looked))[2] & 0x10;
}

sub note_start {
  my ($listener, $id, $ticket, $pid, $place) = @_;
  my $now = time;
  ($second, $in_second) = ($now, 0) if $now != $second;
  if (++$in_second > MOST_A_SECOND) { $unnamed{$id}++; return }
  my $name = '';
  if (open(my $memory, '<:raw', "/proc/$pid/mem")) {
    sysseek($memory, $place, 0);
    sysread($memory, $name, MOST_NAME);
    $name =~ s/\0.*//s;
  }
  my $by = readlink "/proc/$pid/exe";
  # Its number may be another process's by now.
  return unless ioctl($listener, NOTIF_ID_VALID, my $valid = pack('Q', $ticket));
  my $all = $started{$id} //= {};
  my $key = body_of($name, substr($by // '', 0, MOST_NAME));
  # The first step of each of ours cannot be read, and is known.
  if ($name eq '' || !exists $all->{$key} && keys %$all >= MOST_PROGRAMS) { $unnamed{$id}++ if $name ne ''; return }
  $all->{$key}++;
}

sub programs_over { return splice @over }

# Takes what was noted of one of ours: how many starts have no name, then names, starters and numbers.
sub programs_of {
  my ($id) = @_;
  my ($all, $without) = (delete $started{$id} // {}, delete $unnamed{$id} // 0);
  return body_of($without, map { (words_of($_), $all->{$_}) } keys %$all);
}

sub noted_programs {
  my %ids = map { $_ => 1 } keys %started, keys %unnamed;
  return keys %ids;
}
