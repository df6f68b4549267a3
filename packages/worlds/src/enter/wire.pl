# Frames, descriptors and signals, as the first process of a world and whoever attaches to it use them.
#
# A frame is one byte of kind, the length of its body as 32 bits, and the body. Descriptors come with the
# first byte of a frame (SCM_RIGHTS).
#
# Nothing here and in what it is loaded by loads a module, not even `strict` and `warnings`: they take longer than
# all of this takes. A test checks it under both.

# By the head of the program that runs this: what it was built for.
our $is_arm = do {
  open(my $self, '<', '/proc/self/exe') or die "/proc/self/exe: $!\n";
  read($self, my $head, 20) == 20 or die "/proc/self/exe has no head\n";
  unpack('x18 S', $head) == 183;
};
our %call_number = $is_arm
  ? (prctl => 167, sendmsg => 211, recvmsg => 212, dup3 => 24, setsid => 157, rt_sigprocmask => 135, signalfd4 => 74, wait4 => 260, close_range => 436)
  : (prctl => 157, sendmsg => 46, recvmsg => 47, dup3 => 292, setsid => 112, rt_sigprocmask => 14, signalfd4 => 289, wait4 => 61, close_range => 436);
# Numbers of the kernel.
sub SOL_SOCKET() { 1 } sub SCM_RIGHTS() { 1 } sub MSG_DONTWAIT() { 0x40 } sub MSG_NOSIGNAL() { 0x4000 }
sub MSG_CMSG_CLOEXEC() { 0x40000000 } sub SIG_BLOCK() { 0 } sub SIG_SETMASK() { 2 }
sub SFD_CLOEXEC() { 0x80000 } sub SFD_NONBLOCK() { 0x800 } sub F_SETFD() { 2 } sub F_GETFL() { 3 }
sub F_SETFL() { 4 } sub FD_CLOEXEC() { 1 } sub O_NONBLOCK() { 0x800 } sub EINTR() { 4 } sub EAGAIN() { 11 }
sub MAX_BODY() { 1_048_576 } sub READ_SIZE() { 65_536 } sub MAX_RIGHTS() { 3 }
our %signal_number = (HUP => 1, INT => 2, QUIT => 3, USR1 => 10, USR2 => 12, TERM => 15, CHLD => 17, WINCH => 28);
our %signal_name = reverse %signal_number;

sub call_kernel {
  my ($name, @arguments) = @_;
  my $result = syscall($call_number{$name}, @arguments);
  die "$name: $!\n" if $result == -1;
  return $result;
}

sub frame {
  my ($kind, $body) = @_;
  return pack('aN', $kind, length $body) . $body;
}

# Takes the whole frames off a buffer. A body that is too long is an error.
sub frames_of {
  my ($buffer) = @_;
  my @frames;
  while (length $$buffer >= 5) {
    my ($kind, $length) = unpack('aN', $$buffer);
    die "a frame is too long\n" if $length > MAX_BODY;
    last if length $$buffer < 5 + $length;
    push @frames, [$kind, substr($$buffer, 5, $length)];
    substr($$buffer, 0, 5 + $length) = '';
  }
  return @frames;
}

sub words_of { return unpack('(N/a*)*', $_[0]) }
sub body_of { return pack('(N/a*)*', @_) }

# Sends bytes and descriptors; gives how many of the bytes went, undef where the other end takes none.
sub send_with {
  my ($handle, $bytes, @descriptors) = @_;
  my $vector = pack('PQ', $bytes, length $bytes);
  my $length = 16 + 4 * @descriptors;
  my $control = @descriptors ? pack('Qll', $length, SOL_SOCKET, SCM_RIGHTS) . pack('l*', @descriptors) : '';
  $control .= "\0" x (-length($control) % 8);
  my $message = pack('Q l x4 P Q', 0, 0, $vector, 1) . ($control eq '' ? pack('QQ', 0, 0) : pack('PQ', $control, length $control)) . pack('l x4', 0);
  my $sent = syscall($call_number{sendmsg}, fileno $handle, $message, MSG_NOSIGNAL | MSG_DONTWAIT);
  return $sent == -1 ? undef : $sent;
}

# Adds to the buffer what has come, and gives its descriptors. Undef: nothing more will come. $! is EAGAIN
# where nothing has come yet.
sub receive {
  my ($handle, $buffer) = @_;
  my ($bytes, $control) = ("\0" x READ_SIZE, "\0" x 64);
  my $vector = pack('PQ', $bytes, length $bytes);
  my $message = pack('Q l x4 P Q P Q l x4', 0, 0, $vector, 1, $control, length $control, 0);
  my $read = syscall($call_number{recvmsg}, fileno $handle, $message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  return $! == EAGAIN || $! == EINTR ? [] : undef if $read == -1;
  return undef if $read == 0;
  $$buffer .= substr($bytes, 0, $read);
  my ($length, $level, $type) = unpack('Qll', $control);
  return [] unless unpack('x40 Q', $message) >= 16 && $level == SOL_SOCKET && $type == SCM_RIGHTS;
  return [map { unpack('l', substr($control, 16 + 4 * $_, 4)) } 0 .. ($length - 16) / 4 - 1];
}

sub close_descriptor {
  my ($number) = @_;
  if (open(my $handle, '<&=', $number)) { close $handle }
}

# Has these signals wait for `signals_of` instead of doing what they do. Gives the handle to look at.
sub hold_signals {
  my $mask = signal_mask(@_);
  call_kernel('rt_sigprocmask', SIG_BLOCK, $mask, 0, 8);
  my $number = call_kernel('signalfd4', -1, $mask, 8, SFD_CLOEXEC | SFD_NONBLOCK);
  open(my $handle, '<&=', $number) or die "signals: $!\n";
  return $handle;
}

sub let_signals_go {
  my $mask = pack('Q', 0);
  call_kernel('rt_sigprocmask', SIG_SETMASK, $mask, 0, 8);
}

sub signal_mask {
  my $mask = 0;
  $mask |= 1 << ($signal_number{$_} - 1) for @_;
  return pack('Q', $mask);
}

sub signals_of {
  my ($handle) = @_;
  my $read = sysread($handle, my $bytes, 128 * 32) // 0;
  return map { $signal_name{ unpack('L', substr($bytes, 128 * $_, 4)) } } 0 .. $read / 128 - 1;
}

1;
