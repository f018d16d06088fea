"""Made-up data for stories
========================

``python make_data.py STORY`` writes the small files of a story here; without a name, those of all
stories, each into a folder.

Whoever has data of their own needs none of this.
"""

import sys
from pathlib import Path

import numpy as np

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
FAMILIES = ("globin", "kinase", "protease")
NAMES = {
    "Finnish": "korhonen virtanen mäkinen nieminen mäkelä hämäläinen laine heikkinen koskinen "
    "järvinen lehtonen lehtinen saarinen salminen heinonen niemi heikkilä salonen kinnunen turunen",
    "Italian": "rossi russo ferrari esposito bianchi romano colombo ricci marino greco bruno "
    "gallo conti costa giordano mancini rizzo lombardi moretti barbieri",
    "Japanese": "sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato "
    "yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu yamazaki",
}
ALCOHOLS = ("CO", "CCO", "CCCO", "CCCCO", "CC(C)O", "CC(C)CO", "CCC(C)O", "OCCO", "OCC(O)CO",
            "CCCCCO", "OC1CCCCC1", "OCc1ccccc1")  # fmt: skip
ACIDS = ("C(=O)O", "CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "CC(C)C(=O)O", "OC(=O)C(=O)O",
         "OC(=O)CC(=O)O", "OC(=O)c1ccccc1", "CC(O)C(=O)O", "OC(=O)CCC(=O)O", "CCCCC(=O)O",
         "OC(=O)C=CC(=O)O")  # fmt: skip
AMINES = ("CN", "CCN", "CCCN", "CCCCN", "CC(C)N", "CNC", "CCNCC", "CN(C)C", "NCCN", "NC1CCCCC1",
          "Nc1ccccc1", "NCc1ccccc1")  # fmt: skip


def proteins(rng, n=60):
    """Mutated copies of three ancestors, in two FASTA files, and their families."""
    known, labels = [], ["id\tfamily"]
    for name, family, sequence in _mutants(rng, n):
        known.append(f">{name} made up\n{sequence}")
        labels.append(f"{name}\t{family}")
    new = [f">new{i}\n{sequence}" for i, (_, _, sequence) in enumerate(_mutants(rng, 6))]
    return {"proteins.fasta": known, "families.tsv": labels, "new.fasta": new}


def blast(rng, n=60):
    """Hits of every protein, in the twelve columns of ``-outfmt 6``: few of all pairs."""
    found = list(_mutants(rng, n))
    hits, new = [], []
    for i, (a, family, one) in enumerate(found):
        for b, other_family, other in found:
            same = sum(x == y for x, y in zip(one, other, strict=True))
            if family != other_family and same < 11:
                continue  # no hit at all
            bits = round(2.1 * same + rng.normal(scale=4) + 8, 1)
            query = f"new{i}" if i % 10 == 0 else a
            if int(b[1:]) % 10 == 0:
                continue  # what is new is in no database
            line = [query, b, f"{100 * same / len(one):.3f}", len(one), len(one) - same, 0, 1,
                    len(one), 1, len(one), f"{10 ** (-bits / 6):.2e}", bits]  # fmt: skip
            (new if i % 10 == 0 else hits).append("\t".join(map(str, line)))
    labels = [f"{name}\t{family}" for name, family, _ in found if int(name[1:]) % 10]
    return {"hits.tsv": hits, "families.tsv": labels, "new-hits.tsv": new}


def names(rng):
    """Family names and their languages."""
    rows = [f"{name},{language}" for language, line in NAMES.items() for name in line.split()]
    return {"names.csv": ["name,language", *rows]}


def phylip(rng, n=36):
    """Distances of genomes from three places, a square PHYLIP file, and one with new genomes."""
    places = np.repeat([0.0, 1.0, 2.5], n // 3)
    where = places[:, None] + rng.normal(scale=0.25, size=(n, 2))
    D = np.sqrt(((where[:, None] - where) ** 2).sum(axis=2))
    ids = [f"genome_{i:02}" for i in range(n)]
    old = [i for i in range(n) if i % 9]
    labels = [f"{ids[i]}\t{('north', 'middle', 'south')[i * 3 // n]}" for i in old]
    return {
        "distances.phy": _phylip(D[np.ix_(old, old)], [ids[i] for i in old]),
        "places.tsv": labels,
        "all.phy": _phylip(D, ids),
    }


def molecules(rng):
    """Small molecules as SMILES, and what they are."""
    groups = {"alcohol": ALCOHOLS, "acid": ACIDS, "amine": AMINES}
    rows = [f"{smiles},{group}" for group, them in groups.items() for smiles in them]
    new = ["smiles", "CCCCCCO", "CCCCCC(=O)O", "CCCCCCN"]
    return {"molecules.csv": ["smiles,label", *rows], "new.csv": new}


def survey(rng, n=40):
    """Judged likeness of sounds, 1 to 5: three people, few pairs each, some without an answer."""
    kinds = np.array(["target", "clutter"])[np.arange(n) % 2]
    lines = ["sound_a,sound_b,similarity"]
    for i in range(n):
        for j in rng.choice(n, size=16, replace=False):
            if i == j:
                continue
            mean = 4.0 if kinds[i] == kinds[j] else 2.0
            score = int(np.clip(np.round(rng.normal(mean, 0.9)), 1, 5))
            lines.append(f"s{i:02},s{j:02},{'NA' if rng.random() < 0.05 else score}")
    labels = ["sound,kind", *(f"s{i:02},{kind}" for i, kind in enumerate(kinds) if i >= 4)]
    return {"judgements.csv": lines, "kinds.csv": labels}


def _mutants(rng, n):
    ancestors = np.random.default_rng(1).choice(list(AMINO_ACIDS), size=(3, 60))
    for i in range(n):
        sequence = ancestors[i % 3].copy()
        changed = rng.choice(60, size=25, replace=False)
        sequence[changed] = rng.choice(list(AMINO_ACIDS), size=25)
        yield f"p{i}", FAMILIES[i % 3], "".join(sequence)


def _phylip(D, ids):
    rows = zip(ids, D, strict=True)
    return [str(len(ids)), *(" ".join([name, *(f"{d:.6f}" for d in row)]) for name, row in rows)]


STORIES = {f.__name__: f for f in (proteins, blast, names, phylip, molecules, survey)}


def make_files(story, folder="."):
    """Write the files of a story and return their names."""
    files = STORIES[story](np.random.default_rng(0))
    for name, lines in files.items():
        Path(folder, name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(files)


if __name__ == "__main__":
    asked = [story for story in sys.argv[1:] if story in STORIES]
    for story in asked or STORIES:
        folder = Path("." if asked else story)
        folder.mkdir(exist_ok=True)
        print(f"{story}: wrote", ", ".join(make_files(story, folder)))
