import { clsx } from 'clsx'

/** The look of menus. */
export const menuContent = clsx(
  'z-40 max-h-(--radix-dropdown-menu-content-available-height) max-w-[min(24rem,calc(100vw-1rem))] min-w-52',
  'overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-[0_8px_28px_rgb(0_0_0/0.16)] outline-none',
)

export const menuItem = clsx(
  'flex w-full cursor-default items-center gap-2.5 rounded px-2 py-1.5 outline-none max-md:py-2.5',
  'data-[highlighted]:bg-accent-soft',
)

export const menuLabel = 'px-2 pt-2 pb-1 text-[12px] text-soft'
