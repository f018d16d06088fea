# Molecules as SMILES: by the bits of their fingerprints where RDKit is installed, else by their text.
python make_data.py molecules
similearn fit molecules.csv --similarity auto -o molecules.model
similearn predict molecules.model new.csv -o predicted.jsonl
