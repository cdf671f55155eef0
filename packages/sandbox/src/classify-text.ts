/** What a text says, by lists of words: enough to try a client, not to judge a text. */

const WORD = /[\p{L}\p{N}]+/gu

/** Categories as OpenAI names them, and words of each. */
const words: Readonly<Record<string, readonly string[]>> = {
  harassment: ['idiot', 'idiots', 'loser', 'losers', 'stupid', 'moron', 'morons'],
  'harassment/threatening': [],
  hate: ['subhuman', 'vermin'],
  'hate/threatening': [],
  illicit: ['bomb', 'bombs', 'explosive', 'explosives', 'meth', 'counterfeit'],
  'illicit/violent': ['bomb', 'bombs', 'explosive', 'explosives'],
  'self-harm': ['suicide', 'suicidal'],
  'self-harm/intent': [],
  'self-harm/instructions': [],
  sexual: ['porn', 'pornographic', 'nude', 'nudes'],
  'sexual/minors': [],
  violence: ['kill', 'kills', 'killing', 'murder', 'shoot', 'stab', 'bomb', 'bombs'],
  'violence/graphic': ['gore', 'dismember', 'dismembered'],
}

const NO_WORD_SCORE = 0.0001
/** One word makes a text one of its category. */
const WORD_SCORE = 0.6

/** Scores of all categories, from 0 to 1: each word of one brings a text nearer to it. */
export function classifyText(text: string): Readonly<Record<string, number>> {
  const said = (text.normalize('NFKC').toLowerCase().match(WORD) ?? []) as readonly string[]
  return Object.fromEntries(
    Object.entries(words).map(([category, list]) => {
      const found = said.filter((word) => list.includes(word)).length
      return [category, found === 0 ? NO_WORD_SCORE : Number((1 - (1 - WORD_SCORE) ** found).toFixed(6))]
    }),
  )
}
