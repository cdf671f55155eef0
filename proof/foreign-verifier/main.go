// Command verifier checks receipts and checkpoints of a ledger log with nothing of this product: signatures by
// golang.org/x/mod/sumdb/note, trees by golang.org/x/mod/sumdb/tlog. The bytes are those of docs/ledger-log.md.
//
//	verifier receipts KEY FILE…          each receipt: digest of the record, leaf, proof, signature
//	verifier extends KEY OLD NEW TILES   the checkpoint NEW extends OLD, by the tiles in the folder TILES
//
// It ends with 1 and says what does not hold, else with 0.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	if len(os.Args) < 4 {
		fail("give a mode, a key and files")
	}
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	switch os.Args[1] {
	case "receipts":
		for _, path := range os.Args[3:] {
			if err := checkReceipt(verifier, path); err != nil {
				fail("%s: %v", filepath.Base(path), err)
			}
			fmt.Println("holds", filepath.Base(path))
		}
	case "extends":
		check(checkExtends(verifier, os.Args[3], os.Args[4], os.Args[5]))
		fmt.Println("extends")
	default:
		fail("unknown mode %s", os.Args[1])
	}
}

func fail(format string, values ...any) {
	fmt.Printf("FALSE "+format+"\n", values...)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

type receipt struct {
	Entry  map[string]any `json:"entry"`
	Record map[string]any `json:"record"`
	Salt   string         `json:"salt"`
	Proof  string         `json:"proof"`
}

func checkReceipt(verifier note.Verifier, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var r receipt
	if err := decoder.Decode(&r); err != nil {
		return err
	}
	if r.Record == nil {
		if r.Entry["record_digest"] != nil {
			return fmt.Errorf("the record is missing")
		}
	} else {
		record, err := canonical(r.Record)
		if err != nil {
			return err
		}
		digest := sha256.Sum256([]byte(record))
		if r.Entry["record_digest"] != hex.EncodeToString(digest[:]) {
			return fmt.Errorf("the record is not the one that the entry names")
		}
	}
	salt, err := base64.StdEncoding.DecodeString(r.Salt)
	if err != nil || len(salt) != 16 {
		return fmt.Errorf("no salt")
	}
	entry, err := canonical(r.Entry)
	if err != nil {
		return err
	}
	leaf := tlog.RecordHash(append(salt, entry...))
	index, proof, signed, err := parseProof(r.Proof)
	if err != nil {
		return err
	}
	tree, err := openCheckpoint(verifier, signed)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf)
}

// parseProof reads c2sp.org/tlog-proof@v1.
func parseProof(text string) (int64, tlog.RecordProof, string, error) {
	head, signed, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" || !strings.HasPrefix(lines[1], "index ") {
		return 0, nil, "", fmt.Errorf("no proof")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return 0, nil, "", err
	}
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return 0, nil, "", err
		}
		proof = append(proof, hash)
	}
	return index, proof, signed, nil
}

// openCheckpoint checks the signature and reads c2sp.org/tlog-checkpoint.
func openCheckpoint(verifier note.Verifier, signed string) (tlog.Tree, error) {
	opened, err := note.Open([]byte(signed), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("a checkpoint of %q", lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	hash, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: hash}, err
}

// canonical writes an object of texts, whole numbers, booleans and null as RFC 8785 does.
func canonical(object map[string]any) (string, error) {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	members := make([]string, 0, len(object))
	for _, name := range names {
		var text string
		switch value := object[name].(type) {
		case nil:
			text = "null"
		case bool:
			text = strconv.FormatBool(value)
		case json.Number:
			text = value.String()
		case string:
			text = quote(value)
		default:
			return "", fmt.Errorf("%s is no plain value", name)
		}
		members = append(members, quote(name)+":"+text)
	}
	return "{" + strings.Join(members, ",") + "}", nil
}

var short = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func quote(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, character := range text {
		if escaped, found := short[character]; found {
			out.WriteString(escaped)
		} else if character < ' ' {
			fmt.Fprintf(&out, `\u%04x`, character)
		} else if character == utf8.RuneError {
			out.WriteString("\uFFFD")
		} else {
			out.WriteRune(character)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// tiles are files of a folder, named as c2sp.org/tlog-tiles names them.
type tiles string

func (folder tiles) Height() int { return 8 }

func (folder tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(wanted))
	for at, tile := range wanted {
		// tlog's own path begins with the height, which C2SP leaves out.
		path := strings.TrimPrefix(tile.Path(), "tile/8/")
		hashes, err := os.ReadFile(filepath.Join(string(folder), filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		found[at] = hashes
	}
	return found, nil
}

func (folder tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func checkExtends(verifier note.Verifier, oldFile, newFile, folder string) error {
	var trees [2]tlog.Tree
	for at, path := range []string{oldFile, newFile} {
		signed, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if trees[at], err = openCheckpoint(verifier, string(signed)); err != nil {
			return err
		}
	}
	before, after := trees[0], trees[1]
	proof, err := tlog.ProveTree(after.N, before.N, tlog.TileHashReader(after, tiles(folder)))
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, after.N, after.Hash, before.N, before.Hash)
}
