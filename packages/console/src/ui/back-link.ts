/** The look of a link above the title, to the list that a page belongs to. */
export const backLink =
  '-mt-2 mb-1 inline-flex items-center gap-1.5 self-start py-1.5 text-[12px] text-soft hover:text-text print:hidden'
