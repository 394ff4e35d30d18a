/** The family of the faces in files, as the fonts name themselves. */
export const fileFace = "IBM Plex Sans"
