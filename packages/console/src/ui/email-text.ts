/** What is said of an email that leaves; with where it is, while no mail server is set up. */
export function onItsWay(text: string, folder: string | null): string {
  return folder === null ? text : `${text} No mail server is set up: it is a file in ${folder}.`
}
