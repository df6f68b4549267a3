# The first process of a world: starts programs, hands signals on to them, reaps what nobody waits for.
#
#   init.pl LINE DOOR SIGNALS LIMITS [PROGRAM [ARGUMENT…]]      SIGNALS: names with commas between them, or -
#
# A world of one program ends as that ends, and everything in it. Without a program it lives as long as the
# other end of LINE, which whoever started the world has.
#
# DOOR is a socket by which connections come, or -: who has made one brings the descriptors of a program that is
# to run here. What it runs is asked on LINE, and what the answer says is started, whatever was asked for.
#
#   on LINE    A id words   may this run?           G id words   it runs: these are its words
#              X id numbers it has ended            N id text    it does not
#              Q number     other processes here    Q 0          how many are there?
#              H id words   may all of it end?      N id text    it does not
#              L name       a limit is reached
#              P id words   programs that it has started: those without a name, then name, starter, number
#              M words      mounts are gone            M words      `held`, and those where nothing is any more
#   on DOOR    E words      run this (and 3 descriptors)     S number   a signal for it
#              B text       it begins        T   its terminal (and a descriptor)
#              R text       it does not      X status   it has ended
#              W text       why the world has ended it, or all of its programs
#              H            end, if nothing runs here    R text  it does not
#
# words: flags, folder, the number of variables, variables, program and arguments; before them, in A, number and
# beginning of the process that has connected, as the kernel outside tells.
#
# Another process of the world must not be able to write into this one and into what it has open. It ends with
# bubblewrap, which is not bound to its own parent: LINE is what ends the world with whoever started it.
sub PR_SET_PDEATHSIG() { 1 } sub PR_SET_DUMPABLE() { 4 } sub SIGKILL() { 9 } sub ENOENT() { 2 } sub TIOCSCTTY() { 0x540E } sub TIOCSPTLCK() { 0x40045431 }
sub MSG_PEEK() { 2 } sub TIOCGPTN() { 0x80045430 } sub TIOCSWINSZ() { 0x5414 }
sub O_RDWR() { 2 } sub O_NOCTTY() { 0x100 } sub O_CLOEXEC() { 0x80000 } sub WNOHANG() { 1 }
# Less than a frame may have: the answer is the same words, and labels.
sub MAX_ASKED() { 900_000 }
sub MAX_ATTACHED() { 64 } sub MAX_WAITING() { 4_194_304 } sub GRACE_SECONDS() { 2 } sub MOUNT_SECONDS() { 5 } sub MOST_ROUNDS() { 16 }

call_kernel('prctl', PR_SET_DUMPABLE, 0, 0, 0, 0);
call_kernel('prctl', PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
my ($line_number, $door_number, $handed_names, $limits, @program) = @ARGV;
# As `limits.pl` takes them, which is loaded only if there are any.
my $has_limits = $limits ne '-';
begin_limits($limits) if $has_limits;
my $line = handle_of($line_number);
my $door = $door_number eq '-' ? undef : handle_of($door_number);
my %is_handed = map { $_ => 1 } $handed_names eq '-' ? () : split /,/, $handed_names;
# A mount of a world goes if its file is replaced outside: it held a file that may not be written, or not be read.
open(my $mounts, '<', '/proc/self/mountinfo') or die "mounts: $!\n";
fcntl($mounts, F_SETFD, FD_CLOEXEC);
my %mounted = mount_places();
# Before any program: it may be sent a signal with its first word, and may end at once.
my $signals = hold_signals(qw(INT QUIT TERM HUP USR1 USR2 CHLD));

# By the number that LINE knows them by: socket, what has come, what is to go, descriptors, pid of the program.
my (%attached, %job_of, @overdue);
my ($last_id, $from_line, $to_line, $main) = (0, '', '', undef);
my %ends = map { $_ => 1 } qw(INT QUIT TERM HUP);
# Frames that came while everything stood still.
my @later;

# Of the limit of processes nothing is left: this one must not become the program. Nobody has a world whose LINE
# was closed while it was put together: nothing of it runs.
if (@program) {
  my $first = '';
  exit 1 if defined recv($line, $first, 1, MSG_PEEK | MSG_DONTWAIT) && $first eq '';
  # A signal that has come by now calls the program off.
  my @early = signals_of($signals);
  for my $name (grep { $ends{$_} } @early) { exit 128 + $signal_number{$name} }
  my ($ours, $its) = programs_pair();
  $main = fork;
  if (!defined $main) { print STDERR "sub: the world may start no program: $!\n"; exit 126 }
  run_program(sub { take_filter($its) if $its }, undef, undef, @program) if $main == 0;
  await_listener($ours, 0) if $ours;
  kill $_, $main for grep { $is_handed{$_} } @early;
}
tell_line('r', '');

for (;;) {
  my ($read, $write, $changed) = ('', '', '');
  vec($read, fileno $_, 1) = 1 for $line, $signals;
  vec($changed, fileno $mounts, 1) = 1;
  vec($read, $_, 1) = 1 for program_descriptors();
  vec($read, fileno $door, 1) = 1 if $door && keys %attached < MAX_ATTACHED;
  vec($write, fileno $line, 1) = 1 if $to_line ne '';
  for my $one (values %attached) {
    vec($read, fileno $one->{socket}, 1) = 1;
    vec($write, fileno $one->{socket}, 1) = 1 if $one->{out} ne '';
  }
  my $found = select($read, $write, $changed, shorter(@overdue ? 0.2 : undef, $has_limits ? look_at_limits($main || %job_of) : undef));
  end_overdue();
  next if $found <= 0;
  mounts_changed() if vec($changed, fileno $mounts, 1);
  # Before the end of a program: what it has started comes first.
  hear_programs($read);
  tell_late();
  take_signals() if vec($read, fileno $signals, 1);
  flush_line() if vec($write, fileno $line, 1);
  read_line() if vec($read, fileno $line, 1);
  for my $id (keys %attached) {
    my $one = $attached{$id};
    my $number = fileno $one->{socket};
    flush_attached($id) if vec($write, $number, 1);
    read_attached($id) if $attached{$id} && vec($read, $number, 1);
  }
  take_attached() if $door && vec($read, fileno $door, 1);
}

sub shorter {
  my ($one, $other) = @_;
  return $other unless defined $one;
  return defined $other && $other < $one ? $other : $one;
}

# Nobody here mounts anything, so it came from outside, and what a mount held is not held any more. Everything
# stands still until whoever started the world has made that mount again.
sub mounts_changed {
  return unless gone_mounts();
  my @frozen = freeze();
  # More of them may go meanwhile.
  for (1 .. MOST_ROUNDS) {
    my @gone = gone_mounts() or last;
    my ($word, @without) = ask_for_mounts(@gone);
    last if $word ne 'held';
    delete @mounted{@without};
  }
  if (gone_mounts()) {
    end_all_for("sub: the world has ended: a file that it may not change or read was replaced outside\n");
  }
  kill 'CONT', $_ for @frozen;
  hear_frames(splice @later);
}

sub gone_mounts {
  my %now = mount_places();
  return grep { !$now{$_} } sort keys %mounted;
}

sub mount_places {
  my ($text, %places) = ('');
  sysseek($mounts, 0, 0);
  1 while sysread($mounts, $text, READ_SIZE, length $text);
  for my $line (split /\n/, $text) {
    my $place = (split / /, $line)[4] // next;
    $place =~ s/\\([0-7]{3})/chr oct $1/ge;
    $places{$place} = 1;
  }
  return %places;
}

# Stops all but this process. Gives those that it has stopped, the youngest first: one that waits for another one
# must not go on before that, and be told that it was stopped.
sub freeze {
  my %was = map { $_ => 1 } grep { is_stopped($_) } other_processes();
  kill 'STOP', -1;
  return grep { !$was{$_} } sort { $b <=> $a } other_processes();
}

sub other_processes {
  opendir(my $all, '/proc') or die "/proc: $!\n";
  return grep { /^\d+$/ && $_ != 1 } readdir $all;
}

sub is_stopped {
  my ($pid) = @_;
  open(my $stat, '<', "/proc/$pid/stat") or return 0;
  return (<$stat> // '') =~ /.*\) T/;
}

sub ask_for_mounts {
  my (@gone) = @_;
  tell_line('M', body_of(@gone));
  my $until = time + MOUNT_SECONDS;
  while (time < $until) {
    my ($read, $write) = ('', '');
    vec($read, fileno $line, 1) = 1;
    vec($write, fileno $line, 1) = 1 if $to_line ne '';
    next if select($read, $write, undef, 1) <= 0;
    flush_line() if vec($write, fileno $line, 1);
    push @later, take_frames() if vec($read, fileno $line, 1);
    my ($answer) = grep { $_->[0] eq 'M' } @later or next;
    @later = grep { $_->[0] ne 'M' } @later;
    return words_of($answer->[1]);
  }
  return 'late';
}

sub end_all_for {
  my ($sentence) = @_;
  my $writable = '';
  vec($writable, fileno STDERR, 1) = 1;
  syswrite(STDERR, $sentence) if $main && select(undef, $writable, undef, 0) > 0;
  for my $id (keys %attached) {
    say_attached($id, 'W', $sentence);
    say_attached($id, 'X', pack('N', SIGKILL));
  }
  leave(128 + SIGKILL);
}

# A limit is reached, for which a program was ended, or everything is. Those whose programs run here are told.
sub limit_reached {
  my ($name, $is_over, $why) = @_;
  my $sentence = "sub: the world has reached a limit: $why\n";
  # A program that reads its own words no more must not stop the one that looks after it.
  my $writable = '';
  vec($writable, fileno STDERR, 1) = 1;
  syswrite(STDERR, $sentence) if $main && select(undef, $writable, undef, 0) > 0;
  for my $id (keys %attached) {
    say_attached($id, 'W', $sentence);
    say_attached($id, 'X', pack('N', SIGKILL)) if $is_over;
  }
  tell_line('L', $name);
  leave(128 + SIGKILL) if $is_over;
}

sub handle_of {
  my ($number) = @_;
  open(my $handle, '+<&=', $number) or die "descriptor $number: $!\n";
  fcntl($handle, F_SETFD, FD_CLOEXEC) && fcntl($handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK) or die "descriptor $number: $!\n";
  return $handle;
}

# Becomes the program.
sub run_program {
  my ($prepare, $folder, $variables, @words) = @_;
  $SIG{$_} = 'DEFAULT' for qw(INT QUIT TERM HUP USR1 USR2 PIPE CHLD);
  $prepare->();
  let_signals_go();
  step_back() if $has_limits;
  if (defined $folder && !chdir $folder) { print STDERR "sub: `$folder` is not in the world\n"; exit 126 }
  %ENV = %$variables if $variables;
  { exec { $words[0] } @words }
  my $is_missing = $! == ENOENT;
  print STDERR "sub: `$words[0]` ", ($is_missing ? 'is not in the world: `--read FOLDER` shows what lies outside of its project' : "cannot be started in the world ($!)"), "\n";
  exit($is_missing ? 127 : 126);
}

sub take_signals {
  for my $name (signals_of($signals)) {
    if ($name eq 'CHLD') { reap() }
    elsif ($main && $is_handed{$name}) { kill $name, $main }
  }
}

sub reap {
  for (;;) {
    my ($status, $usage) = (pack('l', 0), "\0" x 144);
    my $pid = syscall($call_number{wait4}, -1, $status, WNOHANG, $usage);
    return if $pid <= 0;
    $status = unpack('l', $status);
    leave($status & 127 ? 128 + ($status & 127) : $status >> 8) if $main && $pid == $main;
    my $id = delete $job_of{$pid} // next;
    my ($user_s, $user_us, $system_s, $system_us, $kilobytes) = unpack('q5', $usage);
    tell_programs($id);
    tell_line('X', pack('N5', $id, $status, $user_s * 1000 + int($user_us / 1000), $system_s * 1000 + int($system_us / 1000), $kilobytes));
    my $one = $attached{$id} // next;
    delete $one->{pid};
    say_attached($id, 'X', pack('N', $status));
  }
}

# Ends the world.
sub leave {
  my ($status) = @_;
  tell_programs($_) for noted_programs();
  exit $status;
}

# What a program has left behind starts others after its end: those are told when none of it is left.
sub tell_late {
  for my $id (programs_over()) { tell_programs($id) unless ($main && $id == 0) || grep { $_ == $id } values %job_of }
}

sub tell_programs {
  my ($id) = @_;
  tell_line('P', pack('N', $id) . programs_of($id));
}

sub tell_line {
  my ($kind, $body) = @_;
  $to_line .= frame($kind, $body);
  flush_line();
}

sub flush_line {
  while ($to_line ne '') {
    my $sent = syswrite($line, $to_line);
    if (!defined $sent) {
      return if $! == EAGAIN;
      next if $! == EINTR;
      exit 125;
    }
    substr($to_line, 0, $sent) = '';
  }
}

sub read_line { hear_frames(take_frames()) }

sub take_frames {
  my $read = sysread($line, $from_line, READ_SIZE, length $from_line);
  return if !defined $read && ($! == EAGAIN || $! == EINTR);
  # Nobody has this world any more.
  exit 125 unless $read;
  return frames_of(\$from_line);
}

sub hear_frames {
  for my $frame (@_) {
    my ($kind, $body) = @$frame;
    my ($id, $rest) = unpack('N a*', $body);
    if ($kind eq 'Q') { tell_line('Q', pack('N', scalar(() = other_processes()))); next }
    # It was called off meanwhile: it ends as by a hang-up.
    if ($kind eq 'G' && !$attached{$id}) { tell_line('X', pack('N5', $id, $signal_number{HUP}, 0, 0, 0)); next }
    my $one = $attached{$id} // next;
    if ($kind eq 'G') { begin($id, words_of($rest)) }
    elsif ($kind eq 'N') { say_attached($id, 'R', $rest) }
  }
}

sub take_attached {
  my $who = '';
  # Whoever keeps the door outside lives as long as the world.
  my $rights = receive($door, \$who) // leave(125);
  my ($number) = @$rights;
  return unless defined $number && open(my $socket, '+<&=', $number);
  fcntl($socket, F_SETFD, FD_CLOEXEC) && fcntl($socket, F_SETFL, O_RDWR | O_NONBLOCK) or return;
  $attached{ ++$last_id } = { socket => $socket, who => body_of(split / /, $who, 2), in => '', out => '', rights => [], is_asked => 0 };
}

sub read_attached {
  my ($id) = @_;
  my $one = $attached{$id};
  my $rights = receive($one->{socket}, \$one->{in});
  return drop_attached($id) unless defined $rights;
  for my $number (@$rights) {
    if (@{ $one->{rights} } < MAX_RIGHTS && !$one->{is_asked}) { push @{ $one->{rights} }, $number }
    else { close_descriptor($number) }
  }
  my @frames = eval { frames_of(\$one->{in}) };
  return drop_attached($id) if $@;
  for my $frame (@frames) {
    my ($kind, $body) = @$frame;
    if ($kind eq 'E' && length $body > MAX_ASKED) { say_attached($id, 'R', 'the command and its variables are too long'); return }
    if ($kind eq 'E' && !$one->{is_asked} && @{ $one->{rights} } == MAX_RIGHTS && length($to_line) < MAX_WAITING) {
      $one->{is_asked} = 1;
      tell_line('A', pack('N', $id) . $one->{who} . $body);
    }
    elsif ($kind eq 'H' && !$one->{is_asked} && length($to_line) < MAX_WAITING) {
      $one->{is_asked} = 1;
      tell_line('H', pack('N', $id) . $one->{who});
    }
    elsif ($kind eq 'S' && length $body == 4) {
      my $name = $signal_name{ unpack('N', $body) };
      signal_job($name, $one->{pid}) if $name && $one->{pid};
    }
    else { return drop_attached($id) }
  }
}

# Nobody waits for its program any more: it is told as by a terminal that is gone, and ended soon after.
sub drop_attached {
  my ($id) = @_;
  my $one = delete $attached{$id} // return;
  close_descriptor($_) for @{ $one->{rights} };
  close $one->{socket};
  tell_line('C', pack('N', $id)) if $one->{is_asked};
  return unless $one->{pid};
  signal_job('HUP', $one->{pid});
  kill 'CONT', -$one->{pid};
  push @overdue, [time + GRACE_SECONDS, $one->{pid}];
}

# Before it has a session of its own, the program is alone.
sub signal_job {
  my ($name, $pid) = @_;
  kill($name, -$pid) || kill($name, $pid);
}

sub end_overdue {
  while (@overdue && $overdue[0][0] <= time) {
    my ($when, $pid) = @{ shift @overdue };
    # Its number is its own until it is reaped.
    kill 'KILL', -$pid if $job_of{$pid};
  }
}

sub say_attached {
  my ($id, $kind, $body, @rights) = @_;
  my $one = $attached{$id} // return;
  my $bytes = frame($kind, $body);
  if (@rights) {
    # A frame with a descriptor goes first, when nothing waits.
    my $sent = send_with($one->{socket}, $bytes, @rights);
    return drop_attached($id) unless defined $sent && $sent == length $bytes;
    return;
  }
  $one->{out} .= $bytes;
  flush_attached($id);
}

sub flush_attached {
  my ($id) = @_;
  my $one = $attached{$id} // return;
  while ($one->{out} ne '') {
    my $sent = send_with($one->{socket}, $one->{out});
    if (!defined $sent) {
      return if $! == EAGAIN;
      return drop_attached($id);
    }
    substr($one->{out}, 0, $sent) = '';
  }
}

# Starts the program of someone attached, as LINE has said it.
sub begin {
  my ($id, $told, $flags, $folder, $count, @words) = @_;
  my $one = $attached{$id};
  return if $one->{pid} || @{ $one->{rights} } != MAX_RIGHTS;
  my %variables = map { split /=/, $_, 2 } splice @words, 0, $count;
  my @rights = splice @{ $one->{rights} };
  my ($terminal, $side) = $flags =~ /^p (\d+) (\d+)$/ ? open_terminal($1, $2) : ();
  say_attached($id, 'T', '', fileno $terminal) if $terminal;
  say_attached($id, 'B', $told);
  # Whoever it was for has gone: it does not begin.
  if (!$attached{$id}) {
    close_descriptor($_) for @rights;
    return tell_line('X', pack('N5', $id, $signal_number{HUP}, 0, 0, 0));
  }
  my ($ours, $its) = programs_pair();
  my $pid = fork;
  if (defined $pid && $pid == 0) {
    my $prepare = sub { take_descriptors($side, @rights); take_filter($its) if $its };
    run_program($prepare, $folder, \%variables, @words);
  }
  close_descriptor($_) for @rights;
  if (!defined $pid) {
    tell_line('X', pack('N5', $id, 126 << 8, 0, 0, 0));
    return say_attached($id, 'X', pack('N', 126 << 8));
  }
  await_listener($ours, $id) if $ours;
  $job_of{$pid} = $id;
  # Its client may have gone meanwhile.
  if ($attached{$id}) { $one->{pid} = $pid }
  else { kill 'KILL', $pid, -$pid }
}

# A session of its own: what is typed elsewhere reaches it by its client alone.
sub take_descriptors {
  my ($side, @rights) = @_;
  call_kernel('setsid');
  my @three = $side ? (fileno $side) x 3 : @rights;
  call_kernel('dup3', $three[$_], $_, 0) for 0 .. 2;
  if ($side) { ioctl(STDIN, TIOCSCTTY, 0) or die "terminal: $!\n" }
}

# A terminal of the world: programs find it in their /dev/pts.
sub open_terminal {
  my ($rows, $columns) = @_;
  sysopen(my $terminal, '/dev/ptmx', O_RDWR | O_NOCTTY | O_CLOEXEC) or return;
  my ($locked, $number) = (pack('i', 0), pack('i', 0));
  ioctl($terminal, TIOCSPTLCK, $locked) && ioctl($terminal, TIOCGPTN, $number) or return;
  my $size = pack('S4', $rows, $columns, 0, 0);
  ioctl($terminal, TIOCSWINSZ, $size);
  sysopen(my $side, '/dev/pts/' . unpack('i', $number), O_RDWR | O_NOCTTY | O_CLOEXEC) or return;
  return ($terminal, $side);
}
