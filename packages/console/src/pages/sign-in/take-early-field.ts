/**
 * Takes over what a person has typed into the field of the same name that the document shows before its scripts are
 * there, and the focus with it. Each is taken once.
 */
export function takeEarlyField(field: HTMLInputElement | null): void {
  if (field === null) return
  const early = document.querySelector<HTMLInputElement>(`#shell input[name="${field.name}"]`)
  if (early === null) return
  if (early.value !== '') field.value = early.value
  if (document.activeElement === early) field.focus()
  early.remove()
}
