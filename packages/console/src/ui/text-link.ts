/**
 * The look of a link that is not part of a sentence. One inside of a sentence is as high as its line; this one is large
 * enough for a finger. Source: WCAG 2.2, 2.5.8.
 */
export const textLink = 'inline-flex min-h-[24px] items-center text-accent underline underline-offset-2'
/** The same for what matters less. */
export const quietLink = 'inline-flex min-h-[24px] items-center text-soft underline underline-offset-2 hover:text-text'
