import { type ComponentProps, type ComponentType, Suspense, useState } from 'react'
import { lazyPart } from './lazy-part.ts'

/** What a menu's module gets: the look of its button, and whether it is to be open at first. */
export interface MenuProps {
  readonly trigger: ComponentProps<'button'>
  readonly isOpenAtFirst: boolean
}

interface MenuButtonProps extends ComponentProps<'button'> {
  readonly menu: ReturnType<typeof menuFrom>
}

/** A menu in a module of its own, by what its module exports. */
export function menuFrom(load: () => Promise<ComponentType<MenuProps>>) {
  return { load, Menu: lazyPart(load) }
}

/** A button whose menu is fetched when the pointer or focus comes near, and replaces it once it is opened. */
export function MenuButton({ menu, ...button }: MenuButtonProps) {
  const [isWanted, setWanted] = useState(false)
  const comeNear = (): void => void menu.load().catch(() => undefined)
  const plain = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={isWanted}
      {...button}
      onPointerEnter={comeNear}
      onFocus={comeNear}
      onClick={() => setWanted(true)}
      onKeyDown={({ key }) => key === 'ArrowDown' && setWanted(true)}
    />
  )
  if (!isWanted) return plain
  return (
    <Suspense fallback={plain}>
      <menu.Menu trigger={button} isOpenAtFirst />
    </Suspense>
  )
}
