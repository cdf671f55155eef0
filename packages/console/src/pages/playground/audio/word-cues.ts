/** Words and the times at which they were said. Pure. */
import type { Cue } from '@svc/contract'

/** A line of subtitles has about so many characters. Source: own choice, near the broadcasters' rules. */
const LINE_CHARACTERS = 42

/** Words as lines, where the model gives no larger pieces. */
export function cuesOfWords(words: readonly Cue[]): readonly Cue[] {
  const cues: Cue[] = []
  for (const word of words) {
    const last = cues.at(-1)
    const joined = last === undefined ? '' : `${last.text} ${word.text}`
    if (last === undefined || joined.length > LINE_CHARACTERS) cues.push(word)
    else cues[cues.length - 1] = { start: last.start, end: word.end, text: joined }
  }
  return cues
}

/** The word that is heard at this time; -1 between words. */
export function wordAt(words: readonly Cue[], seconds: number): number {
  return words.findIndex(({ start, end }) => start <= seconds && seconds < end)
}
