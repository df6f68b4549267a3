#!/usr/bin/perl
# Runs a program in a world that is up: it has our own descriptors, or a terminal of the world that we show.
#
#   attach.pl SOCKET PARENT [terminal]      descriptor 3: the words of the program; 4: takes what becomes of it
#   attach.pl SOCKET PARENT end             asks for the end of the world: it is refused, or the world hangs up
#
# On descriptor 4, a line each:  absent   nobody is there
#                                begun TEXT / refused TEXT / ended STATUS
BEGIN { require((__FILE__ =~ m{^(.*/)})[0] . 'wire.pl') }
our (%signal_number, %signal_name, %call_number);

sub TCGETS() { 0x5401 } sub TCSETS() { 0x5402 } sub TIOCGWINSZ() { 0x5413 } sub SET_SIZE() { 0x5414 }
sub TERMINAL_BYTES() { 36 }
sub PF_UNIX() { 1 } sub STREAM() { 1 } sub ENDED_BADLY() { 125 } sub MAX_TYPED() { 65_536 }
sub PR_SET_PDEATHSIG() { 1 } sub SIGKILL() { 9 }

# With PARENT, for whom it works, its program ends. It may have ended before.
my ($path, $parent, $shown) = @ARGV;
call_kernel('prctl', PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
exit ENDED_BADLY if getppid != $parent;
open(my $words, '<&=', 3) or die "words: $!\n";
open(my $told, '>&=', 4) or die "what becomes of it: $!\n";
fcntl($_, F_SETFD, FD_CLOEXEC) for $words, $told;
my $request = do { local $/; <$words> } // '';
socket(my $world, PF_UNIX, STREAM, 0) or die "socket: $!\n";
if (!connect($world, pack('S Z108', PF_UNIX, $path))) { report('absent'); exit ENDED_BADLY }
# Before anything runs there, so that none is lost. What a terminal sends while it is shown is typed.
my $signals = hold_signals(qw(INT QUIT TERM HUP USR1 USR2 WINCH));
my $size = size_of_terminal();
my ($rows, $columns) = unpack('SS', $size);
my $is_end = ($shown // '') eq 'end';
my $first = $is_end ? frame('H', '') : frame('E', body_of($shown ? "p $rows $columns" : '', words_of($request)));
my $sent = send_with($world, $first, $is_end ? () : (0, 1, 2)) // die "the world takes nothing: $!\n";
while ($sent < length $first) { $sent += syswrite($world, $first, length($first) - $sent, $sent) // die "the world takes nothing: $!\n" }

my ($terminal, $typed, $saved, $buffer, $is_begun) = (undef, '', undef, '', 0);
my %ends = map { $_ => 1 } qw(INT QUIT TERM HUP);
END { give_back() }

for (;;) {
  my ($read, $write) = ('', '');
  vec($read, fileno $_, 1) = 1 for $world, $signals;
  if ($terminal) {
    vec($read, fileno $terminal, 1) = 1;
    # What is typed waits here, and no more of it is taken.
    if ($typed eq '') { vec($read, fileno STDIN, 1) = 1 if !eof_of_input() }
    else { vec($write, fileno $terminal, 1) = 1 }
  }
  my $found = select($read, $write, undef, undef);
  next if $found <= 0;
  take_signals() if vec($read, fileno $signals, 1);
  if ($terminal) {
    show() if vec($read, fileno $terminal, 1);
    type() if $terminal && vec($write, fileno $terminal, 1);
    take_typed() if $terminal && vec($read, fileno STDIN, 1);
  }
  hear() if vec($read, fileno $world, 1);
}

sub report { syswrite($told, "@_\n") }

sub hear {
  my $rights = receive($world, \$buffer);
  if (!defined $rights) { report('ended', 0) if $is_end; give_back(); exit ENDED_BADLY }
  for my $frame (frames_of(\$buffer)) {
    my ($kind, $body) = @$frame;
    if ($kind eq 'T' && @$rights) { take_terminal($rights->[0]) }
    elsif ($kind eq 'B') { $is_begun = 1; report('begun', $body) }
    elsif ($kind eq 'R') { report('refused', $body); exit 126 }
    elsif ($kind eq 'W') { syswrite(STDERR, $body) }
    elsif ($kind eq 'X') { finish(unpack('N', $body)) }
  }
}

# The last words of the program may still be on their way.
sub finish {
  my ($status) = @_;
  1 while $terminal && show();
  give_back();
  report('ended', $status);
  exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
}

sub take_signals {
  # It may have begun in this very round.
  hear() if !$is_begun;
  for my $name (signals_of($signals)) {
    if ($name eq 'WINCH') { ioctl($terminal, SET_SIZE, $size = size_of_terminal()) if $terminal }
    # The program waits to be judged: it is called off, as the world sees by our end.
    elsif (!$is_begun && $ends{$name}) { exit ENDED_BADLY }
    else { syswrite($world, frame('S', pack('N', $signal_number{$name}))) }
  }
}

sub size_of_terminal {
  my $now = pack('S4', 24, 80, 0, 0);
  ioctl(STDIN, TIOCGWINSZ, $now);
  return $now;
}

# From here on our own terminal hands every byte on, as it comes.
sub take_terminal {
  my ($number) = @_;
  open($terminal, '+<&=', $number) or die "terminal: $!\n";
  fcntl($terminal, F_SETFL, fcntl($terminal, F_GETFL, 0) | O_NONBLOCK);
  my $now = "\0" x TERMINAL_BYTES;
  ioctl(STDIN, TCGETS, $now) or return;
  $saved = $now;
  my ($input, $output, $control, $local, $rest) = unpack('L4 a*', $now);
  # The bits are those of cfmakeraw(3).
  $input &= ~0x5eb;
  $output &= ~0x1;
  $control = $control & ~0x130 | 0x30;
  $local &= ~0x804b;
  # One byte at a time, without a wait: VMIN and VTIME.
  substr($rest, 1 + 5, 2) = "\0\1";
  my $raw = pack('L4 a*', $input, $output, $control, $local, $rest);
  ioctl(STDIN, TCSETS, $raw);
}

sub give_back {
  ioctl(STDIN, TCSETS, $saved) if defined $saved;
  undef $saved;
}

# Whether there may be more to show at once.
sub show {
  my $read = sysread($terminal, my $bytes, READ_SIZE);
  if (!$read) {
    # All of its other ends are closed; or nothing is there yet.
    close $terminal, undef $terminal if defined $read || ($! != EAGAIN && $! != EINTR);
    return 0;
  }
  my $shown = 0;
  while ($shown < $read) {
    my $written = syswrite(STDOUT, $bytes, $read - $shown, $shown);
    next if !defined $written && ($! == EINTR || $! == EAGAIN);
    return 0 unless defined $written;
    $shown += $written;
  }
  return 1;
}

my $is_typed_out;
sub eof_of_input { return $is_typed_out }

sub take_typed {
  my $read = sysread(STDIN, $typed, MAX_TYPED);
  $is_typed_out = 1 if defined $read && $read == 0;
  type() if $read;
}

sub type {
  my $written = syswrite($terminal, $typed);
  substr($typed, 0, $written) = '' if defined $written;
}
