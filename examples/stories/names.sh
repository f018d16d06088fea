# Family names: which language is a name of?
python make_data.py names
# Which similarity, and which method? One row for each.
similearn compare names.csv --labels language --similarity ngrams --similarity jaro-winkler --methods knn,fused-knn --splits 5
# auto chooses by what the objects are, and says why.
similearn fit names.csv --labels language --similarity auto -o names.model
# In a pipe: a name a line, and each is answered at once.
printf 'jokinen\ncaruso\nhashimoto\n' | similearn predict names.model -
