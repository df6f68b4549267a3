import { describe, expect, it } from 'vitest';
import { readCommand } from '../shell/read-command.js';
import { touchedFiles } from './touches.js';

const PLACE = { project: '/p', home: '/h', tmp: '/tmp', cwd: ['/p'] };

/** The files that a text touches, each with what is done to it. */
function touchesOf(text: string): readonly string[] {
  const { commands } = readCommand(text, PLACE);
  const touched = commands.flatMap((command) => touchedFiles(command, PLACE));
  return touched.map(({ access, path }) => `${access} ${path.replaceAll(/[\uE000-\uE002]/g, '*')}`);
}

describe('the files that a command touches', () => {
  it.each<readonly [string, readonly string[]]>([
    ['curl -XPOST http://x/', []],
    ['curl -sSfo a http://x/', ['write /p/a']],
    ['curl -so/h/a http://x/', ['write /h/a']],
    ['curl -sLO http://x/', ['write /p']],
    ['curl -nd @a http://x/', ['read /h/.netrc', 'read /p/a']],
    ['curl --json @a -H @b http://x/', ['read /p/a', 'read /p/b']],
    ['curl -b a=b http://x/', []],
    ['wget -O- http://x/', []],
    ['wget -P a http://x/', ['write /p/a']],
    ['tar xzf a.tgz -C /h', ['write /h', 'read /p/a.tgz']],
    ['tar -cf a.tar -C /h b', ['write /p/a.tar', 'read /h/b']],
    ['git clone x', ['write /p']],
    ['git clone x /h/y', ['write /h/y']],
    ['git diff --output=/h/x', ['write /h/x']],
    ['git show HEAD:a', ['read /p/a']],
    ['cp -t /h a', ['write /h', 'read /p/a']],
    ['scp a web:/x', ['read /p/a']],
    ['docker cp web:/x a', ['write /p/a']],
    ['kubectl cp a web:/x', ['read /p/a']],
    ['aws s3 cp a s3://b/c', ['read /p/a']],
    ['rm -rf a/*', ['delete /p/a/*', 'delete /p/a']],
    ['rm a/*', ['delete /p/a/*']],
    ['find a -delete', ['look /p/a', 'delete /p/a/*', 'delete /p/a']],
    ['find a -name "*.o" -delete', ['look /p/a', 'delete /p/a/*/*.o']],
    ['vim -c wq a', ['write /p/a']],
    ['sed -i s/a/b/ c', ['write /p/c']],
    ['docker run -v /h:/x i rm /x/a', ['delete /h/a']],
    ['chroot /r rm /a', ['delete /r/a']],
    ['pip install -t /h/x y', ['write /h/x']],
    ['wget -O a -O /h/b http://x/', ['write /p/a', 'write /h/b']],
    ['wget -P a -qP /h http://x/', ['write /p/a', 'write /h']],
    ['gcc -o a -o /h/b c', ['write /p/a', 'write /h/b', 'read /p/c']],
    ['openssl rand -out a -out /h/b 5', ['write /p/a', 'write /h/b']],
    ['find a -fprint b -fprint /h/c', ['look /p/a', 'write /p/b', 'write /h/c']],
    ['unzip -d a -d /h b.zip', ['write /p/a', 'write /h']],
    ['tar xf a.tar -C b -C /h -C c', ['write /p/b', 'write /h', 'write /h/c', 'read /p/a.tar']],
    ['tar -cf a.tar b -C /h c -C d e', ['write /p/a.tar', 'read /p/b', 'read /h/c', 'read /h/d/e']],
    ['wget --output-d /h/b http://x/', ['write /h/b']],
    ['wget --output-docu=/h/b http://x/', ['write /h/b']],
    ['curl --outpu /h/b http://x/', ['write /h/b']],
    ['curl --cookie a http://x/', ['read /p/a']],
    ['cp --target=/h a', ['write /h', 'read /p/a']],
    ['sort --out=/h/b a', ['write /h/b', 'read /p/a']],
    ['tar --get -f a.tar --dir /h', ['write /h', 'read /p/a.tar']],
    ['tar --extr --fil=a.tar', ['write /p', 'read /p/a.tar']],
    ['tar --creat -f a.tar b', ['write /p/a.tar', 'read /p/b']],
    ['wget -o /h/b http://x/', ['write /h/b']],
    ['wget --append-output=/h/b -O - http://x/', ['write /h/b']],
    ['aria2c -d /h -o b http://x/', ['write /h', 'write /p/b']],
    ['openssl enc --in a --out /h/b', ['read /p/a', 'write /h/b']],
    ['git bundle create /h/b HEAD', ['write /h/b']],
    ['git format-patch -o /h HEAD', ['write /h']],
    ['git config --file /h/b c.d e', ['write /h/b']],
    ['unknown --out a --out=/h/b.c', ['write /h/b.c', 'read /h/b.c']],
  ])('%s', (text, touches) => {
    expect(touchesOf(text).toSorted()).toEqual(touches.toSorted());
  });
});
