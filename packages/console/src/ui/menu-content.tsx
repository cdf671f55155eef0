import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { menuContent } from './menu.ts'

interface MenuContentProps {
  readonly align: 'start' | 'end'
  readonly sideOffset?: number
  readonly children: ReactNode
}

/**
 * What a menu shows once it is open. It lies in the main part of the page and not behind all parts: people who go from
 * part to part by a screen reader would not come by it there.
 */
export function MenuContent({ align, sideOffset = 4, children }: MenuContentProps) {
  return (
    <DropdownMenu.Portal container={document.getElementById('content')}>
      <DropdownMenu.Content align={align} sideOffset={sideOffset} collisionPadding={8} className={menuContent}>
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  )
}
