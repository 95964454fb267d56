import { stem } from './tool-terms.ts';

/**
 * Words that people use for what tools call otherwise. The first of a line is what tools say; any word of a line finds
 * the others.
 */
const GROUPS = `
add plus sum together total more altogether increase another both combine
subtract minus less difference left remain fewer reduce deduct off below bigger lost remove
multiply times product twice triple each every apiece lots rows
divide split share per each half third quarter quotient parts equal fit into
power squared cubed exponent raised square cube
square root
create make new open start begin add
write save store put note jot keep enter fill
delete del remove erase drop clear trash discard rid scrap bin throw away
update change edit modify rename set adjust
list show see display all which inventory overview
get fetch read retrieve open view look give tell
read content contain inside hold written say
search find look query locate where
send post message write tell email notify
file document notes folder directory path
run execute launch start command
stop kill terminate end quit close
weather forecast temperature rain sunny snow wind
directions route way drive car train walk
navigate open go visit browse page
elevation altitude height high
news latest headlines search
distance far away
place restaurant cafe shop nearby near
time clock hour timezone
web internet online page site website
chart graph plot diagram
commit revision changes
branch switch checkout
pull merge request
issue ticket bug
task todo
label tag
screenshot picture capture
click press tap
table database sql rows records
paper article study preprint
pod container
`;

const RELATED = new Map<string, string[]>();
for (const line of GROUPS.trim().split('\n')) {
  const words = line.split(' ').map(stem);
  for (const word of words) {
    const others = words.filter(other => other !== word);
    RELATED.set(word, [...(RELATED.get(word) ?? []), ...others]);
  }
}

/** What a word's tool may be called instead. */
export function relatedTerms(term: string): readonly string[] {
  return RELATED.get(term) ?? [];
}
