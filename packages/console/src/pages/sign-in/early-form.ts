/** The form that the document of signing in shows before its scripts are there. */
const FORM = '#shell [data-for="sign-in"]'

/** Takes over what a person has typed into its field of the same name, and the focus with it. */
export function takeEarlyField(field: HTMLInputElement | null): void {
  if (field === null) return
  const early = document.querySelector<HTMLInputElement>(`${FORM} input[name="${field.name}"]`)
  if (early === null) return
  if (early.value !== '') field.value = early.value
  if (document.activeElement === early) field.focus()
}

/** Its fields must not be found beside those of the page. */
export function removeEarlyForm(): void {
  document.querySelector(FORM)?.remove()
}
